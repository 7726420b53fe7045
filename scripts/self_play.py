"""Games from a position to the end, with moves by given functions."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tabiya.games.position import Position
from tabiya.games.rules import Outcome

Chooser = Callable[[Position], str | None]  # the first legal move is played where it finds none


def played(position: Position, *choosers: Chooser) -> tuple[Position, ...]:
    """Play a game; every position, the ended one last. choosers: choose the moves, by seat or one for both."""
    found = [position]
    while found[-1].outcome() is None:
        at = found[-1]
        found.append(at.play(choosers[at.to_move % len(choosers)](at) or at.legal_moves()[0]))
    return tuple(found)


def outcome_of(game: tuple[Position, ...]) -> Outcome:
    """How a game that was played to its end has ended."""
    outcome = game[-1].outcome()
    assert outcome is not None
    return outcome


def at_random(draw: Random) -> Chooser:
    """Any legal move."""
    return lambda position: draw.choice(position.legal_moves())
