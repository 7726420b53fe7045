"""Bar chart of the thinking time of each move: the first player's bars upwards, the second's downwards."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tabiya.server.web.schemas.responses import MoveLine

HEIGHT, LEAST = 40.0, 0.6  # units a bar is high at most, and at least


class Bar(Struct, frozen=True):
    """One move: a bar of `height` units in column `ply`, its top at `top`."""

    ply: int
    seat: int
    top: float
    height: float
    think_ms: float


class Chart(Struct, frozen=True):
    """All bars; `width` columns, twice `HEIGHT` units high, the longest took `longest_ms`."""

    width: int
    height: float
    longest_ms: float
    bars: tuple[Bar, ...]


def thinking_chart(moves: Sequence[MoveLine]) -> Chart | None:
    """The chart of a match; None while nobody has moved but the opening."""
    played = [move for move in moves if not move.opening]
    longest_ms = max((move.think_ms for move in played), default=0.0)
    if not longest_ms:
        return None
    bars = []
    for move in played:
        height = max(LEAST, HEIGHT * move.think_ms / longest_ms)
        top = HEIGHT - height if move.seat == 0 else HEIGHT
        bars.append(Bar(move.ply, move.seat, round(top, 2), round(height, 2), move.think_ms))
    return Chart(max(40, len(moves)), 2 * HEIGHT, longest_ms, tuple(bars))
