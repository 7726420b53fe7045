"""`Position`: an immutable position with its history, for referee, students and tests.

`legal_moves()` are the rules of movement; `outcome()` also knows what only a referee declares, such as the third
repetition (compared exactly, never by hash).
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tabiya.games import steps
from tabiya.games.compiled.jit import entry
from tabiya.games.endings import Ending
from tabiya.games.errors import IllegalMove, MoveFormatError, shown
from tabiya.games.rules import ONGOING, Outcome, Rules, State, States

CODE, BYTE = np.dtype(np.int32), np.dtype(np.uint8)  # made once: looking a type up takes as long as an array


class History(NamedTuple):
    """The position text after the last irreversible move, and the moves played since."""

    text: str
    moves: tuple[str, ...]


class Position:
    """One position of a game. Made by `game.start(...)`, `game.parse(...)` and `position.play(...)`."""

    __slots__ = (
        "_base_ply",
        "_base_text",
        "_codes",
        "_earlier",
        "_key",
        "_keys",
        "_listed",
        "_outcome",
        "_states",
        "_text",
        "_texts",
        "game",
        "moves",
        "ply",
        "start_text",
        "to_move",
    )

    game: Rules
    _base_ply: int  # of the position after the last irreversible move
    _base_text: str
    moves: tuple[str, ...]  # all moves since `start_text`
    ply: int  # plies played since the start of this chain of positions
    start_text: str
    to_move: int  # seat 0 or 1
    _listed: str  # the legal moves in the kernel's order, with a space before, between and after them
    _texts: tuple[str, ...] | None
    _states: States  # this position
    _earlier: tuple[States, ...]  # the positions since the last irreversible move, without this one
    _keys: tuple[int, ...]  # their keys

    def __init__(self) -> None:
        raise TypeError("positions are made by game.start(), game.parse(text) and position.play(move)")

    @classmethod
    def at(cls, game: Rules, state: State) -> Position:
        """The position of a validated record, without history."""
        position = cls.__new__(cls)
        states = game.new_states()
        states[0] = state
        position._describe(game, states, None)
        position.start_text = position._text
        position.moves, position.ply = (), 0
        position._forget()
        return position

    def _describe(self, game: Rules, states: States, made: tuple[States, Any] | None) -> int:
        """Fill in what the kernel says of `states`, reached by making `made` = (parent's states, move) if given.

        Returns over how many plies a repetition is possible.
        """
        moves = np.empty(game.max_moves, CODE)
        out = np.empty(game.max_text + game.max_moves * (game.max_move_text + 1), BYTE)
        said: tuple[int, ...]
        if made is None:
            said = steps.survey(game, states[0], moves, out)
        else:
            said = _step_of(game)(game, made[0], made[1], states, moves, out)
        count, outcome, self.to_move, repeats, text_end, moves_end, self._key = said
        text = out[:moves_end].tobytes().decode("ascii")
        self.game, self._states = game, states
        self._text = text[:text_end]
        self._listed = " " + text[text_end:]
        self._texts = None
        self._codes = moves[:count]
        self._outcome = None if outcome == ONGOING else Outcome((0, 1, None)[outcome % 3], game.endings[outcome // 3])
        return repeats

    def text(self) -> str:
        """The position in the game's notation (history is not part of it)."""
        return self._text

    @property
    def last_move(self) -> str | None:
        """The move that led here, None at the start."""
        return self.moves[-1] if self.moves else None

    @property
    def state(self) -> State:
        """The record; read it, never write to it."""
        return self._states[0]

    def legal_moves(self) -> tuple[str, ...]:
        """The moves that the rules of movement allow, in the game's notation, in the kernel's order."""
        if self._texts is None:  # made when first asked for: in a big game it costs as much as the move itself
            self._texts = tuple(self._listed.split())
        return self._texts

    def move_codes(self) -> list[int]:
        """The numbers that the kernels know the legal moves by, in the same order."""
        return [int(code) for code in self._codes]

    def outcome(self) -> Outcome | None:
        """How the game has ended, None while it goes on."""
        return self._outcome

    def can_win(self, seat: int) -> bool:
        """Whether any series of legal moves could still let `seat` win; when the game is over, whether it did."""
        if self._outcome is not None:
            return self._outcome.winner == seat
        return bool(steps.can_win(self.game, self.state, np.int64(seat)))

    def check_move(self, text: str) -> int:
        """The number of a legal move. Raises MoveFormatError for what is not a move at all, IllegalMove otherwise."""
        return int(self._code_of(text))

    def _code_of(self, text: Any) -> Any:
        """The same as the kernels take it: an int32."""
        if not isinstance(text, str):  # its number in the list, the list itself
            raise MoveFormatError(f"a move is a text ({self.game.move_hint}), one of legal_moves(), not {text!r:.80}")
        at = self._listed.find(f" {text} ")
        if at >= 0 and text.isalnum():  # one word of the list, not several
            return self._codes[self._listed.count(" ", 0, at)]
        self.game.check_move_format(text)
        texts = self.legal_moves()
        listed = ", ".join(texts[:12]) + (", …" if len(texts) > 12 else "")
        raise IllegalMove(
            f"{shown(text)} is not legal in {self._text} (legal: {listed or 'nothing, the game is over'})"
        )

    def play(self, text: str) -> Position:
        """The position after the move `text`. Raises MoveFormatError or IllegalMove."""
        child = Position.__new__(Position)
        repeats = child._describe(self.game, self.game.new_states(), (self._states, self._code_of(text)))
        child.start_text = self.start_text
        child.moves, child.ply = (*self.moves, text), self.ply + 1
        if repeats:
            child._remember(self)
        else:
            child._forget()
        return child

    def play_all(self, texts: Sequence[str], seats: Sequence[int]) -> Position | None:
        """The position after all these moves, each made by its seat: what `play` returns, in a fraction of the time.

        None: one is illegal or another seat's, or the game may be over before the last; `play` finds out which.
        """
        game, count = self.game, len(texts)
        if not count or self._outcome is not None:
            return None if count else self
        words = [text.encode(errors="replace") for text in texts]
        states, keys = game.new_states(count + 1), np.zeros(count + 1, np.uint64)
        states[0], repeats = self.state, np.zeros(count + 1, np.int64)
        ends = np.cumsum(np.fromiter(map(len, words), np.int64, count))
        joined = np.frombuffer(bytearray(b"".join(words)), np.uint8)
        scratch = np.empty(game.max_moves, np.int32), np.empty(game.max_move_text, np.uint8)
        of_moves = joined, ends, np.array(seats, np.int64)
        if _replay_of(game)(game, states, *of_moves, keys, repeats, *scratch) < count:
            return None
        last = Position.__new__(Position)
        last._describe(game, states[count:].copy(), None)
        last.start_text, last.moves, last.ply = self.start_text, (*self.moves, *texts), self.ply + count
        keys[count] = last._key
        return last if last._remember_all(self, states, keys.tolist(), repeats.tolist()) else None

    def _remember_all(self, first: Position, states: States, keys: list[int], repeats: list[int]) -> bool:
        """Carry on the positions since the last irreversible move; False if one may have come for the third time.

        states, keys, repeats: of `first` and each position up to this one.
        """
        if not any(repeats[1:]):
            self._forget()
            return True
        base, seen = 0, Counter((*first._keys, keys[0]))
        for ply in range(1, len(keys)):
            if not repeats[ply]:
                base, seen = ply, Counter()
            seen[keys[ply]] += 1
            if seen[keys[ply]] > 2:
                return False
        if base == len(keys) - 1:
            self._forget()
            return True
        start = Position.at(self.game, states[base]) if base else first
        self._base_text = start._base_text
        self._base_ply = first.ply + base if base else first._base_ply
        self._earlier = (*start._earlier, *(states[ply : ply + 1] for ply in range(base, len(keys) - 1)))
        self._keys = (*start._keys, *keys[base:-1])
        return True

    def history(self) -> History:
        """What a player without memory needs to see repetitions coming."""
        return History(self._base_text, self.moves[self._base_ply :])

    @property
    def earlier_keys(self) -> tuple[int, ...]:
        """The keys (uint64, as `game.key`) of the positions of this history before this one, oldest first."""
        return self._keys

    def _forget(self) -> None:
        """No earlier position can come again: history begins here."""
        self._base_ply, self._base_text = self.ply, self._text
        self._earlier, self._keys = (), ()

    def _remember(self, parent: Position) -> None:
        """Carry on the positions since the last irreversible move, and judge the third repetition."""
        self._base_ply, self._base_text = parent._base_ply, parent._base_text
        self._earlier = (*parent._earlier, parent._states)
        self._keys = (*parent._keys, parent._key)
        if self._outcome is None and self._keys.count(self._key) >= 2 and self.repetitions() >= 3:
            self._outcome = Outcome(None, Ending.THREEFOLD_REPETITION)

    def movers(self) -> tuple[int, ...]:
        """The seats that made `moves`, in their order."""
        if self.game.takes_turns():
            return tuple((self.to_move + self.ply - ply) % 2 for ply in range(self.ply))
        game: Any = self.game
        position, found = game.parse(self.start_text), []
        for move in self.moves:
            found.append(position.to_move)
            position = position.play(move)
        return tuple(found)

    def repetitions(self) -> int:
        """How often this position has stood on the board, this time included; compared exactly."""
        return 1 + sum(
            self._equals(earlier) for key, earlier in zip(self._keys, self._earlier, strict=True) if key == self._key
        )

    def is_same(self, other: Position) -> bool:
        """Whether both, of one game, are the same position by the rules of repetition (history apart)."""
        return self._equals(other._states)

    def _equals(self, states: States) -> bool:
        return bool(steps.same(self.game, self.state, states[0]))

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self  # it never changes

    def __str__(self) -> str:
        return self.game.draw(self.state)

    def _repr_svg_(self) -> str:
        """How notebooks show it."""
        return self.game.svg(self)  # type: ignore[attr-defined]  # a Game, which knows positions

    def _repr_html_(self) -> str:
        return self.game.html(self)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<Position of {self.game.name}: {self._text}>"


@functools.cache
def _replay_of(game: Rules) -> Callable[..., Any]:
    """`steps.replay` as it is compiled for this game."""
    longs, texts = np.empty(1, np.int64), np.empty(1, np.uint8)
    scratch = np.empty(1, np.uint64), longs, np.empty(1, np.int32), texts
    return entry(steps.replay, game, game.new_states(2), texts, longs, longs, *scratch)


@functools.cache
def _step_of(game: Rules) -> Callable[..., Any]:
    """`steps.step` as it is compiled for this game."""
    states, move = game.new_states(), np.int32(0)
    return entry(steps.step, game, states, move, states, np.empty(1, CODE), np.empty(1, BYTE))
