"""Commands that run a server, look after its data, or get this machine ready."""
