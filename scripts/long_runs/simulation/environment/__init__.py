"""What the server runs in during a run: an event loop in virtual time, a network, a disk; all chance is the seed."""
