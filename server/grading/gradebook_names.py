"""The systems whose column layouts a person can ask for; apart, because the command line loads it at once."""

from __future__ import annotations

from enum import StrEnum


class Gradebook(StrEnum):
    """Whose columns."""

    MOODLE = "moodle"
    CANVAS = "canvas"
    GRADESCOPE = "gradescope"
