"""Random openings for colour-swapped pairs of games: the same seed gives the same opening, everywhere and always.

An opening is a start position and moves from it; a match plays the moves as its first plies. Two bots play each opening
twice with seats changed, so an advantage that it gives to one seat cancels out over the pair. No opening has ended,
and none lets the next player win on the spot where that can be avoided; what else makes one fair is the game's to say
(`Game.is_fair_opening`, docs/reference/games.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from tabiya.games import steps
from tabiya.games.contract import Game, OptionValue
from tabiya.games.position import Position

ATTEMPTS = 64  # draws until a fair opening must have been found
WORD = 1 << 64


class Opening(NamedTuple):
    """The text of a start position, and moves from there."""

    start_text: str
    moves: tuple[str, ...]

    def position(self, game: Game) -> Position:
        """The position after the opening, with its history."""
        position = game.parse(self.start_text)
        for move in self.moves:
            position = position.play(move)
        return position


class SplitMix:
    """The generator splitmix64 (Steele, Lea and Flood 2014): a sequence fixed by its seed on every machine."""

    def __init__(self, seed: int) -> None:
        """seed: any whole number; those equal modulo 2^64 are the same."""
        self._state = seed % WORD

    def word(self) -> int:
        """The next number, 0..2^64 - 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) % WORD
        z = self._state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
        return z ^ z >> 31

    def below(self, n: int) -> int:
        """A number 0..n - 1, each equally likely to within n / 2^64."""
        return self.word() * n >> 64


def opening(game: Game, seed: int, options: Mapping[str, object] | None = None) -> Opening:
    """The opening that belongs to a seed; different seeds may give the same one. Raises OptionError.

    Of 64 draws the first fair one is taken; if none is fair, the first whose game still goes on; at last the plain
    start.
    """
    draw = SplitMix(seed)
    playable = None
    for _ in range(ATTEMPTS):
        position = _draw(game, draw, options)
        if position.outcome() is not None:
            continue
        if game.is_fair_opening(position) and not _wins_at_once(position):
            return Opening(position.start_text, position.moves)
        playable = playable or position
    last = playable or game.start(options)
    return Opening(last.start_text, last.moves)


def openings(game: Game, seed: int, count: int, options: Mapping[str, object] | None = None) -> tuple[Opening, ...]:
    """`count` openings that lead to different positions; when there are no more, they come again in the same order.

    Raises OptionError.
    """
    found = tuple(islice(distinct_openings(game, seed, options), count))
    return tuple(found[i % len(found)] for i in range(count))


def distinct_openings(game: Game, seed: int, options: Mapping[str, object] | None) -> Iterator[Opening]:
    """Openings in the order of their draws, each resulting position once.

    Ends after so many repetitions in a row that there is very likely no other: with n found of n + 1 equally likely
    ones the chance to miss the last is below e^-20.
    """
    seeds, seen, misses = SplitMix(seed), set[str](), 0
    while misses <= 20 * (len(seen) + 1):
        drawn = opening(game, seeds.word(), options)
        text = drawn.position(game).text()
        misses = misses + 1 if text in seen else 0
        if not misses:
            seen.add(text)
            yield drawn


def _draw(game: Game, draw: SplitMix, options: Mapping[str, object] | None) -> Position:
    """One random opening, not yet checked for fairness."""
    drawn = game.opening_options(game.read_options(options), draw.below)
    position = _start(game, tuple(drawn.items()))
    for _ in range(game.opening_plies):
        if position.outcome() is not None:
            break
        moves = game.opening_moves(position)
        position = position.play(moves[draw.below(len(moves))])
    return position


@lru_cache(maxsize=64)
def _start(game: Game, options: tuple[tuple[str, OptionValue], ...]) -> Position:
    return game.start(dict(options))


def _wins_at_once(position: Position) -> bool:
    game = position.game
    moves, replies = np.empty((2, game.max_moves), np.int32)
    return bool(steps.wins_at_once(game, position.state, game.new_state(), moves, replies))
