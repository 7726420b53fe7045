"""The strengths of a sandbox that a person can ask for; apart, because the command line loads it at once."""

from __future__ import annotations

from enum import StrEnum


class Wanted(StrEnum):
    """auto: the strongest that can be had."""

    AUTO = "auto"
    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NONE = "none"
