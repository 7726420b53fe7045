"""Rules in plain Python: positions are any objects, moves are texts, and nothing has to compile. It is slow.

The record of a position holds the answers to all that is ever asked of it: Python writes them once, when the position
is made. Compiled code reads them, and calls Python to make a move; so searches, textbooks and playouts have such a game
as any other. All of them are one kernel: for one more nothing is compiled.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tabiya.games.compiled.call_python import DONE, FAILED, answer_with, call_python
from tabiya.games.compiled.kernel_types import OURS, is_compiled
from tabiya.games.contract import LONGEST_TEXT, Game, OptionValue
from tabiya.games.rules import DRAW, ONGOING, Outcome, State

log = logging.getLogger("tabiya.games")

MOST_MOVES, LONGEST_MOVE = 400, Game.max_move_text  # of one position; characters
MOST_KNOWN = 50_000  # positions kept as objects; others are read again from their texts
RECORD = np.dtype(
    [
        ("game", np.uint64),  # which of these games it is: `number_of`
        ("text_hash", np.uint64),
        ("side", np.int64),
        ("result", np.int64),  # as `outcome` has it
        ("repeats", np.int64),
        ("value", np.int64),  # for the side to move
        ("may_win", np.int64, (2,)),  # by seat
        ("move_count", np.int64),
        ("moves", np.uint8, (MOST_MOVES, LONGEST_MOVE)),  # their texts, zeros behind them
        ("text_length", np.int64),
        ("text", np.uint8, (LONGEST_TEXT,)),
    ],
    align=True,
)
_games: dict[int, PythonGame] = {}


def number_of(text: str) -> int:
    """64 bits that stand for a text, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class PythonGame(Game):
    """A game in plain Python. The author writes the methods at the top; `position` is any object."""

    state = RECORD
    max_moves, max_text, max_move_text = MOST_MOVES, LONGEST_TEXT, LONGEST_MOVE

    def first(self, options: Mapping[str, OptionValue]) -> Any:
        """The start position. Raises OptionError."""
        raise NotImplementedError

    def read(self, text: str) -> Any:
        """The position that `text` describes, fully validated. Raises PositionError."""
        raise NotImplementedError

    def written(self, position: Any) -> str:
        """The text of a position, which says all of it; ASCII, LONGEST_TEXT characters at most."""
        raise NotImplementedError

    def mover(self, position: Any) -> int:
        """The seat to move, 0 or 1."""
        raise NotImplementedError

    def moves(self, position: Any) -> Sequence[str]:
        """The legal moves, MOST_MOVES at most; not asked for when the game has ended."""
        raise NotImplementedError

    def after(self, position: Any, move: str) -> Any:
        """The position after a legal move; the one before must stay as it is."""
        raise NotImplementedError

    def result(self, position: Any) -> Outcome | None:
        """How the game has ended: the winner's seat or None, and a word of `endings`; None while it goes on."""
        raise NotImplementedError

    def value(self, position: Any) -> int:
        """How good it is for the side to move, in hundredths of the game's unit, for the engine.

        More than 19,999 either way counts as that: beyond are proven wins.
        """
        return 0

    def may_win(self, position: Any, seat: int) -> bool:
        """Whether some legal moves could still let `seat` win; by default always."""
        return True

    def comes_again(self, position: Any) -> int:
        """Over how many of the last plies it can be a repetition; by default 0, never."""
        return 0

    def drawing(self, position: Any) -> str:
        """For terminals, several lines, ASCII; by default the text."""
        return self.written(position)

    # --- ours

    _known: dict[str, Any]
    _number: int

    def __init__(self, name: str, title: str) -> None:
        super().__init__(name, title)
        self._known = {}
        self._number = number_of(name)
        _games[self._number] = self

    def __init_subclass__(cls, **kwargs: Any) -> None:
        theirs = [each for each in cls.__mro__ if each.__module__.partition(".")[0] not in (OURS, "builtins")]
        if taken := sorted({name for each in theirs for name in vars(each) if is_compiled(name)}):
            raise TypeError(f"{cls.__qualname__} is a PythonGame, which has no {', '.join(taken)} of its own")
        super().__init_subclass__(**kwargs)  # after the check: what is compiled later would take its methods from it

    @classmethod
    def kernel_name(cls) -> str:
        """That of the nearest class of ours: packages add nothing that is compiled."""
        ours: type = next(each for each in cls.__mro__ if each.__module__.partition(".")[0] == OURS)
        return f"{ours.__module__}.{ours.__qualname__}"

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        return self._recorded(self.first(options))

    def parse_state(self, text: str) -> State:
        return self._recorded(self.read(text))

    def draw(self, state: State) -> str:
        return self.drawing(self.position_in(state))

    def _recorded(self, position: Any) -> State:
        state = self.new_state()
        self.record(position, state)
        return state

    def position_in(self, state: State) -> Any:
        """The author's object of a record."""
        text = bytes(state.text[: state.text_length]).decode()
        try:
            return self._known[text]
        except KeyError:  # and another thread may forget it at once
            position = self.read(text)
            self._remember(text, position)
            return position

    def _remember(self, text: str, position: Any) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[text] = position

    def record(self, position: Any, state: State) -> None:
        """Write down all that is asked of a position. Raises ValueError where it goes beyond the bounds."""
        text, result = self.written(position), self.result(position)
        moves = [] if result is not None else [move.encode("ascii") for move in self.moves(position)]
        letters = text.encode("ascii")
        if len(letters) > LONGEST_TEXT or len(moves) > MOST_MOVES or max(map(len, moves), default=0) > LONGEST_MOVE:
            raise ValueError(
                f"at most {LONGEST_TEXT} letters, {MOST_MOVES} moves of {LONGEST_MOVE} letters: {text[:50]}"
            )
        self._remember(text, position)
        state.game, state.text_hash = self._number, number_of(text)
        state.side, state.repeats = self.mover(position), self.comes_again(position)
        state.value = 0 if result is not None else self.value(position)
        state.may_win[:] = self.may_win(position, 0), self.may_win(position, 1)
        state.result = ONGOING
        if result is not None:
            if result.ending not in self.endings:
                raise ValueError(f"{result.ending!r} is not one of the endings: {', '.join(self.endings)}")
            state.result = 3 * self.endings.index(result.ending) + (DRAW if result.winner is None else result.winner)
        state.move_count, state.text_length = len(moves), len(letters)
        padded = b"".join(move.ljust(LONGEST_MOVE, b"\0") for move in moves)
        state.moves[: len(moves)] = np.frombuffer(padded, np.uint8).reshape(-1, LONGEST_MOVE)
        state.text[: len(letters)] = np.frombuffer(letters, np.uint8)
        state.moves[len(moves) :], state.text[len(letters) :] = 0, 0  # what learners see of it is the same each time

    # --- what runs compiled

    def takes_turns(self) -> Any:
        return False  # nobody knows it of all of them

    def generate(self, state: State, moves: Any) -> Any:
        for number in range(state.move_count):
            moves[number] = number
        return state.move_count

    def make(self, state: State, move: int, child: State) -> None:
        if call_python(state, np.int64(move), child) != DONE:
            raise RuntimeError("rules in plain Python have failed; the log says how")

    def to_move(self, state: State) -> Any:
        return state.side

    def outcome(self, state: State, count: int) -> Any:
        return state.result

    def can_win(self, state: State, seat: int) -> Any:
        return state.may_win[seat] != 0

    def key(self, state: State) -> Any:
        return state.text_hash

    def same(self, state: State, other: State) -> Any:
        alike = state.text_length == other.text_length
        for at in range(state.text_length):
            alike = alike and state.text[at] == other.text[at]
        return alike

    def repeats(self, state: State) -> Any:
        return state.repeats

    def write_state(self, state: State, out: Any) -> Any:
        for at in range(state.text_length):
            out[at] = state.text[at]
        return state.text_length

    def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
        for letter in state.moves[move]:
            if letter != 0:
                out[at] = letter
                at += 1
        return at


def _make(parent: int, number: int, child: int) -> int:
    """Answers compiled code. An error cannot pass through it: it is logged, and FAILED is returned."""
    try:
        state = _record_at(parent)
        game = _games[int(state.game)]
        move = bytes(state.moves[number]).rstrip(b"\0").decode()
        game.record(game.after(game.position_in(state), move), _record_at(child))
    except BaseException:  # a key pressed, too
        log.exception("rules in plain Python have failed")
        return FAILED
    return DONE


_TYPE = np.dtype((np.record, RECORD))


def _record_at(address: int) -> Any:
    memory: Any = (ctypes.c_char * RECORD.itemsize).from_address(address)
    return np.frombuffer(memory, _TYPE)[0]


answer_with(_make)
