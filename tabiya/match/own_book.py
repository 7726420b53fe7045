"""The opening book of one player: its moves are played without asking the program."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tabiya.openings import polyglot_book

if TYPE_CHECKING:
    from tabiya.games.position import Position

MOST_PLIES = 1_000


class BookTerms(NamedTuple):
    """A Polyglot book, and for how many plies of the game, those of its opening included, it is asked."""

    path: str
    plies: int = MOST_PLIES


class OwnBook:
    """A book that has been read."""

    def __init__(self, terms: BookTerms, game: str, seed: int) -> None:
        """game: its registered name.  Raises OpeningsError, UnknownGame."""
        self._book, self._plies, self._seed = polyglot_book(Path(terms.path), game), terms.plies, seed

    def move(self, position: Position, match: int) -> str:
        """Its move, drawn by its weights, the same for the same match, ply and seed; "" where it has none."""
        moves = self._book.moves(position) if position.ply < self._plies else {}
        chance = random.Random(f"{self._seed} {match} {position.ply}")
        return chance.choices([*moves], [*moves.values()])[0] if moves else ""
