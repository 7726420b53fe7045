"""What campaigns are made of: servers and bots in processes of their own, bots in this one, and lines between them."""
