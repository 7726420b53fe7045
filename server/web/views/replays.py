"""Matches replayed by the rules, for pictures and for readable moves.

Replaying is slow and is called in a thread. Recent replays are cached, so that the next picture of the same match, or
its next move, costs one step.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from tabiya.games.errors import GameError
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.games.transcript import ReadableMove

MAX_MATCHES = 64  # kept at once
MAX_CHECKPOINTS = 64  # positions kept of one match


class Replay:
    """One replayed match: its readable moves, and positions at regular plies as checkpoints."""

    def __init__(self, start: Position, readable_move: ReadableMove) -> None:
        self._moves: list[str] = []
        self._readable_move = readable_move
        self.readable: list[str] = []
        self._stride = 4
        self._checkpoints: dict[int, Position] = {0: start}
        self._last = start

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


class ReplayedPosition:
    """A match at one ply: the position as text and as a board of letters, and the readable moves."""

    __slots__ = ("board", "position", "readable", "to_move")

    def __init__(self, position: Position, readable: tuple[str, ...]) -> None:
        self.position, self.board, self.readable = position.text(), tuple(str(position).splitlines()), readable
        self.to_move = position.to_move if position.outcome() is None else None


class ReplayCache:
    """The replays used last. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str], Replay] = OrderedDict()
        self._lock = threading.Lock()

    def shown(self, match_id: int, game: str, start: str, moves: Sequence[str]) -> ReplayedPosition:
        """The match after all of `moves`. Raises GameError if the rules do not allow them."""
        with self._lock:
            replay = self._replay(match_id, game, start, moves)
            return ReplayedPosition(replay.position(len(moves)), tuple(replay.readable[: len(moves)]))

    def position(self, match_id: int, game: str, start: str, moves: Sequence[str], ply: int) -> Position:
        """The position after `ply` of `moves`. Raises GameError."""
        with self._lock:
            return self._replay(match_id, game, start, moves).position(ply)

    def _replay(self, match_id: int, game: str, start: str, moves: Sequence[str]) -> Replay:
        key = (match_id, start)
        replay = self._kept.get(key)
        if replay is None or not replay.agrees_with(moves):
            rules = load_game(game)
            replay = self._kept[key] = Replay(rules.parse(start), rules.readable_move)
        try:
            replay.extend(moves)
        except GameError:  # played half way
            del self._kept[key]
            raise
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_MATCHES:
            self._kept.popitem(last=False)
        return replay
