"""The strengths of a sandbox that a person can ask for; apart, because the command line loads it at once."""

from __future__ import annotations

from enum import StrEnum

SANDBOX_WORKS = "TABIYA_WALLS_STAND"
"""The environment variable that names walls which a process above has tried and spoken of."""


class Wanted(StrEnum):
    """auto: the strongest that can be had."""

    AUTO = "auto"
    BUBBLEWRAP = "bubblewrap"
    PODMAN = "podman"
    LANDLOCK = "landlock"
    NONE = "none"
