"""Every test of the client has a configuration and an environment of its own, as those of commands have."""

from tests.tabiya.cli.conftest import own_world

__all__ = ["own_world"]
