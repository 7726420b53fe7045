"""The stored form of a match's moves as judged by the playing engine. Nothing here judges.

`tabiya review` and the explorer that a server was given make them (tabiya/review/); they are kept beside the match, and
API and pages show what is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Struct

from tabiya.protocol.messages.fields import doc

# hundredths of the game's unit at which ten of eleven points are expected: as Elo's formula has it of a rating
# difference of 400, which is about what four pawns are worth; no more than a scale to compare costs on
TEN_TO_ONE = 400
DECIDED = 10 * TEN_TO_ONE  # beyond that nothing changes any more that can be seen
LEAST_COST = 0.02  # of a point: less is the engine's own error


class JudgedMove(Struct, frozen=True, kw_only=True):
    """A move and the best move."""

    ply: Annotated[int, doc("Number of moves before it.")]
    seat: Annotated[int, doc("The seat that made it.")]
    move: Annotated[str, doc("The move as written for people.")]
    chances: Annotated[float, doc("Expected points of the first seat before it, 0 to 1.")]
    cost: Annotated[float, doc("Expected points that the player lost, compared with the best move.")]
    value: Annotated[str, doc("The player's value after it, for people.")]
    best: Annotated[str, doc("The best move.")]
    best_value: Annotated[str, doc("The player's value after the best move.")]
    line: Annotated[tuple[str, ...], doc("The line that begins with the best move.")]


def encoded(judged: Iterable[JudgedMove]) -> str:
    """The text to store."""
    return msgspec.json.encode(tuple(judged)).decode()


def decoded(text: str) -> tuple[JudgedMove, ...] | None:
    """The judged moves of a stored text; None if it is damaged or of another version."""
    try:
        return msgspec.json.decode(text, type=tuple[JudgedMove, ...])
    except (ValueError, RecursionError):
        return None


def chances_of(value: float) -> float:
    """The points that a value, in hundredths of the game's unit, lets its side expect, 0 to 1."""
    return float(1 / (1 + 10 ** (-max(-DECIDED, min(DECIDED, value)) / TEN_TO_ONE)))


def costliest(judged: Iterable[JudgedMove], seat: int, most: int = 3) -> list[JudgedMove]:
    """The moves that have cost this seat most, the worst first."""
    own = [move for move in judged if move.seat == seat and move.cost >= LEAST_COST]
    return sorted(own, key=lambda move: (-move.cost, move.ply))[:most]
