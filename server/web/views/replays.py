"""Matches replayed by the rules, for pictures, readable moves and the lines that bots expect.

Replaying is slow and is called in a thread. Recent replays are cached, so that the next picture of the same match, or
its next move, costs one step.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tabiya.games.contract import Game
from tabiya.games.errors import GameError
from tabiya.games.picture import places_of
from tabiya.games.picture_sequence import PictureSequence
from tabiya.games.position import Position
from tabiya.games.registry import load_game

MAX_MATCHES = 64  # kept at once
MAX_FILMED = 16  # of them with their films, which are larger
MAX_CHECKPOINTS = 64  # positions kept of one match
MAX_LINE = 8  # moves of an expected line


class ExpectedMove(NamedTuple):
    """A move that a bot expects. mark: the middle of its place in the picture, or of both; none for a pass."""

    move: str
    readable: str
    mark: tuple[float, ...]


class CountedPosition(NamedTuple):
    """A position as text, and what each seat has of that which the game counts."""

    text: str
    tally: tuple[str, str]


class Replay:
    """One replayed match: its readable moves, positions at regular plies as checkpoints, and its films by seat."""

    def __init__(self, start: Position, readable_move: Callable[[Position, str], str]) -> None:
        self._moves: list[str] = []
        self._readable_move = readable_move
        self.readable: list[str] = []
        self._stride = 4
        self._checkpoints: dict[int, Position] = {0: start}
        self._last = start
        self._sequences: dict[int, PictureSequence] = {}
        self._counted: list[CountedPosition] = []
        self._expected: dict[tuple[int, int], tuple[ExpectedMove, ...]] = {}
        self.lock = threading.Lock()

    def agrees_with(self, moves: Sequence[str]) -> bool:
        """Whether these moves are a prefix or a continuation of the replayed ones."""
        both = min(len(moves), len(self._moves))
        return list(moves[:both]) == self._moves[:both]

    def extend(self, moves: Sequence[str]) -> None:
        """Replay the new moves. Raises GameError."""
        for move in moves[len(self._moves) :]:
            readable = self._readable_move(self._last, move)
            self._last = self._last.play(move)
            self._moves.append(move)
            self.readable.append(readable)
            self._add_checkpoint(len(self._moves))

    def _add_checkpoint(self, ply: int) -> None:
        if ply % self._stride == 0:
            self._checkpoints[ply] = self._last
            if len(self._checkpoints) > MAX_CHECKPOINTS:  # every other one goes: a long game takes no more memory
                self._stride *= 2
                self._checkpoints = {at: kept for at, kept in self._checkpoints.items() if at % self._stride == 0}

    def position(self, ply: int) -> Position:
        """The position after `ply` plies; 0 <= ply <= those replayed."""
        if ply == len(self._moves):
            return self._last
        near = ply - ply % self._stride
        position = self._checkpoints[near]
        for move in self._moves[near:ply]:
            position = position.play(move)
        return position

    def positions(self, first: int) -> Iterator[Position]:
        """The positions from ply `first` on."""
        if first > len(self._moves):
            return
        position = self.position(first)
        yield position
        for move in self._moves[first:]:
            position = position.play(move)
            yield position

    def sequence(self, game: Game, seat: int) -> PictureSequence:
        """All pictures, from the side of a seat."""
        sequence = self._sequences.setdefault(seat, PictureSequence())
        for position in self.positions(len(sequence.frames)):
            sequence.add(game.svg(position, seat))
        return sequence

    def counted(self, game: Game) -> list[CountedPosition]:
        """All positions as text, with their counters."""
        for position in self.positions(len(self._counted)):
            self._counted.append(CountedPosition(position.text(), game.tally(position)))
        return self._counted

    def expected(self, game: Game, ply: int, line: Sequence[object], seat: int = 0) -> tuple[ExpectedMove, ...]:
        """What a bot expected after `ply` moves, as far as it can be played. line: as it told it then."""
        key = ply, seat
        if key not in self._expected:
            self._expected[key] = expected_line(game, self.position(ply), line, seat) if line else ()
        return self._expected[key]

    def drop_sequences(self) -> None:
        """They take more memory than all the rest."""
        self._sequences, self._expected, self._counted = {}, {}, []


class ReplayedPosition:
    """A match at one ply: its position as text and as letters, the moves and expected lines as people write them."""

    __slots__ = ("board", "expected", "position", "readable", "to_move")

    def __init__(
        self, position: Position, readable: tuple[str, ...], expected: tuple[tuple[str, ...], ...] = ()
    ) -> None:
        self.position, self.board, self.readable = position.text(), tuple(str(position).splitlines()), readable
        self.expected = expected or ((),) * len(readable)
        self.to_move = position.to_move if position.outcome() is None else None


class ReplayCache:
    """The replays used last. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str], Replay] = OrderedDict()
        self._lock = threading.Lock()

    def shown(
        self, match_id: int, game: str, start: str, moves: Sequence[str], lines: Sequence[Sequence[object]] = ()
    ) -> ReplayedPosition:
        """The match after all of `moves`. lines: what was expected after each. Raises GameError for an illegal move."""
        rules = load_game(game)
        with self.replay(match_id, game, start, moves) as replay:
            expected = tuple(
                tuple(move.readable for move in replay.expected(rules, ply, line))
                for ply, line in enumerate(lines, start=1)
            )
            return ReplayedPosition(replay.position(len(moves)), tuple(replay.readable[: len(moves)]), expected)

    def position(self, match_id: int, game: str, start: str, moves: Sequence[str], ply: int) -> Position:
        """The position after `ply` of `moves`. Raises GameError."""
        with self.replay(match_id, game, start, moves) as replay:
            return replay.position(ply)

    @contextlib.contextmanager
    def replay(self, match_id: int, game: str, start: str, moves: Sequence[str]) -> Iterator[Replay]:
        """The match replayed at least as far as `moves`, for this thread alone. Raises GameError."""
        key = (match_id, start)
        replay = self._find(key, game, moves)
        with replay.lock:
            try:
                replay.extend(moves)
            except GameError:  # played half way
                with self._lock:
                    self._kept.pop(key, None)
                raise
            yield replay

    def _find(self, key: tuple[int, str], game: str, moves: Sequence[str]) -> Replay:
        with self._lock:
            replay = self._kept.get(key)
            if replay is None or not replay.agrees_with(moves):
                rules = load_game(game)
                replay = self._kept[key] = Replay(rules.parse(key[1]), rules.readable_move)
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_MATCHES:
                self._kept.popitem(last=False)
            for older in list(self._kept.values())[:-MAX_FILMED]:
                older.drop_sequences()
            return replay


def expected_line(game: Game, position: Position, line: Sequence[object], seat: int = 0) -> tuple[ExpectedMove, ...]:
    """The line that a bot expects from `position` on, as far as it can be played and is not too long."""
    found: list[ExpectedMove] = []
    for move in line[:MAX_LINE]:
        if not isinstance(move, str) or move not in position.legal_moves():
            break
        places = places_of(move, {place.name: place for place in game.places(position, seat)})
        mark = tuple(at for place in places for at in (place.x + place.width / 2, place.y + place.height / 2))
        found.append(ExpectedMove(move, game.readable_move(position, move), mark))
        position = position.play(move)
    return tuple(found)
