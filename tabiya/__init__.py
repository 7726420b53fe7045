"""The front door: the `tabiya` command and the few names a bot author imports."""

__version__ = "0.1.0"
