"""The documents that a server shows under /docs: read, rendered as pages, and searched."""
