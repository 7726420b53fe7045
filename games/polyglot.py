"""Opening books in Polyglot's format: entries of 16 bytes (key of a position, move, weight), sorted by key.

Source: docs/sources.md#polyglot
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tabiya.games.position import Position

ENTRY = struct.Struct(">QHHI")  # key, move, weight, and a number for learning


class PolyglotNotation(NamedTuple):
    """How books name a game's positions and moves. move: "" for a number that is no legal move in the position."""

    key: Callable[[Position], int]
    move: Callable[[Position, int], str]


class PolyglotBook:
    """A book that has been read."""

    def __init__(self, content: bytes, notation: PolyglotNotation) -> None:
        """Raises ValueError for what is no book."""
        if not content or len(content) % ENTRY.size:
            raise ValueError(f"a Polyglot book has entries of {ENTRY.size} bytes, and this has {len(content)} bytes")
        self._notation, self._entries = notation, defaultdict[int, list[tuple[int, int]]](list)
        for key, move, weight, _ in ENTRY.iter_unpack(content):
            self._entries[key].append((move, weight))

    def moves(self, position: Position) -> dict[str, float]:
        """Its moves in a position, with how likely each is; without those that it never plays."""
        found = {
            self._notation.move(position, move): weight
            for move, weight in self._entries.get(self._notation.key(position), ())
        }
        found.pop("", None)
        total = sum(found.values())
        return {move: weight / total for move, weight in found.items() if weight}

    def lines(self, start: Position, plies: int) -> Iterator[tuple[Position, float]]:
        """The positions to which it leads in so many plies, or at its end, each once, with how likely each is."""
        reached = {start.text(): (start, 1.0)}
        for _ in range(plies):
            later = dict[str, tuple[Position, float]]()
            for position, likely in reached.values():
                moves = self.moves(position)
                if not moves and position.ply > start.ply:
                    yield position, likely
                for move, share in moves.items():
                    after = position.play(move)
                    if after.outcome() is None:
                        first, before = later.get(after.text(), (after, 0.0))
                        later[after.text()] = first, before + likely * share
            reached = later
        yield from reached.values()
