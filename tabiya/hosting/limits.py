"""What one hosted program may use, and how strong walls are; apart, because the command line loads it at once."""

from __future__ import annotations

from tabiya.sandbox.wanted import Wanted

MEMORY_MB = 512
MEMORY_OF_OURS_MB = 128  # of what connects it
FILE_MB = 16  # of one file that it writes
_STRENGTHS = {Wanted.NONE: 0, Wanted.LANDLOCK: 1, Wanted.PODMAN: 2, Wanted.BUBBLEWRAP: 2}


def strength_of(walls: str) -> int:
    """How strong walls are, to be compared; walls that nobody knows are none."""
    return _STRENGTHS.get(Wanted(walls), 0) if walls in tuple(Wanted) else 0
