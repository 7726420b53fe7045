"""The texts of Nim: heaps such as `3,5,7`, positions such as `3,5,7 normal 1`.

A position is the heaps from a on, `normal` or `misere`, and the player to move, 1 or 2.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tabiya.games.errors import PositionError, shown

MOST_HEAPS = 26
LARGEST_HEAP = 63
HEAP = re.compile(r"0|[1-9][0-9]*")
PLAYS = ("normal", "misere")
PLAYERS = ("1", "2")


class Reading(NamedTuple):
    """What a position text says: the heaps, whether play is misère, the seat to move."""

    heaps: tuple[int, ...]
    misere: bool
    side: int


def read_position(text: str) -> Reading:
    """The parts of a position text. Raises PositionError."""
    parts = text.split(" ")
    if len(parts) != 3:
        raise PositionError(f"a position of Nim is three words, such as '3,5,7 normal 1', not {shown(text)}")
    heaps, play, player = parts
    if play not in PLAYS:
        raise PositionError(f"play in Nim is normal or misere, not {shown(play)}")
    if player not in PLAYERS:
        raise PositionError(f"the player to move in Nim is 1 or 2, not {shown(player)}")
    return Reading(read_heaps(heaps), play == "misere", PLAYERS.index(player))


def write_position(reading: Reading) -> str:
    """The position text."""
    return f"{','.join(map(str, reading.heaps))} {PLAYS[reading.misere]} {PLAYERS[reading.side]}"


def read_heaps(text: str) -> tuple[int, ...]:
    """The sizes of the heaps. Raises PositionError."""
    sizes = text.split(",")
    if len(sizes) > MOST_HEAPS:
        raise PositionError(f"Nim is played with 1 to {MOST_HEAPS} heaps, not {len(sizes)}")
    return tuple(map(_read_heap, sizes))


def _read_heap(text: str) -> int:
    # the length is looked at first: reading a number of a million digits takes long
    if not HEAP.fullmatch(text) or len(text) > len(str(LARGEST_HEAP)) or int(text) > LARGEST_HEAP:
        raise PositionError(f"a heap of Nim is a number from 0 to {LARGEST_HEAP}, such as 7, not {shown(text)}")
    return int(text)
