"""What a twin says of a finished game."""

from __future__ import annotations

from typing import NamedTuple


class Result(NamedTuple):
    """The seat that won (None: nobody) and the reason, in the words of `tabiya.games.endings`."""

    winner: int | None
    reason: str
