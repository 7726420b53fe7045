"""Parts of campaigns: servers and bots in separate processes, bots in this one, and lines between them."""
