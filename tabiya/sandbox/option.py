"""The kinds of a sandbox that a person can ask for; apart, because the command line loads it at once."""

from __future__ import annotations

from enum import StrEnum

SANDBOX_WORKS = "TABIYA_SANDBOX_WORKS"
"""The environment variable that names a sandbox which a process above has tried and told the user of."""


class SandboxOption(StrEnum):
    """auto: the strongest that can be had."""

    AUTO = "auto"
    BUBBLEWRAP = "bubblewrap"
    PODMAN = "podman"
    LANDLOCK = "landlock"
    NONE = "none"
