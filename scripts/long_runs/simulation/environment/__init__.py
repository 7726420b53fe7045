"""The server's environment during a run: an event loop in virtual time, a network, a disk, all random by the seed."""
