"""Polyglot books for tests."""

from __future__ import annotations

from collections.abc import Mapping

from tabiya.games.chess.polyglot import FILES, PROMOTED, polyglot_key
from tabiya.games.polyglot import ENTRY
from tabiya.games.registry import load_game

Weights = Mapping[str, int]


def number_of(move: str) -> int:
    """A move as a book writes it."""
    squares = [FILES.index(move[at]) + 8 * (int(move[at + 1]) - 1) for at in (0, 2)]
    return squares[1] | squares[0] << 6 | PROMOTED.index(move[4:] or " ") << 12


def book_of(first: Weights, later: Mapping[str, Weights]) -> bytes:
    """A book for the start, and for the positions after some moves from there."""
    start, found = load_game("chess").start(), b""
    for moves, weights in ({"": first} | dict(later)).items():
        position = start
        for move in moves.split():
            position = position.play(move)
        for move, weight in weights.items():
            found += ENTRY.pack(polyglot_key(position), number_of(move), weight, 0)
    return found
