"""The rules of a game: the half of the contract that positions, searches and referee step through.

Rules are a `Kernel`: plain methods over a record (`state`, a structured NumPy dtype) that run interpreted or compiled.
Nothing that comes from outside reaches a kernel before `Game.start_state` or `Game.parse_state` has checked it against
the declared bounds: kernels do not check indices.

Seats: 0 is the first player (White in chess, Black in reversi), 1 the second. A seat is a colour, not a bot.
"""

from __future__ import annotations

import functools
import re
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tabiya.games.compiled.kernel_types import Kernel, compiled
from tabiya.games.errors import MoveFormatError, shown

ONGOING = -1
MOVE_NUMBERS = 1 << 15  # above the number of every move
SEAT_0_WINS, SEAT_1_WINS, DRAW = 0, 1, 2

State = Any  # a NumPy record of the game's dtype
States = Any  # an array of one such record


class Outcome(NamedTuple):
    """How a game ended: `winner` is the seat 0 or 1, None for a draw."""

    winner: int | None
    ending: str


class Rules(Kernel):
    """Attributes are facts about the game; `@compiled` methods are the rules themselves."""

    name: str  # the registry's name, as on the wire
    title: str  # for people
    state: ClassVar[np.dtype[Any]]  # the position, without its history
    rules_version: ClassVar[int]  # rises only when the same moves can end differently
    seat_names: ClassVar[tuple[str, str]]
    seat_colours: ClassVar[tuple[str, str]]  # of their pieces where these have one, #rrggbb
    endings: ClassVar[tuple[str, ...]]  # `outcome` speaks of them by index; `Ending` has the usual ones
    draws_possible: bool
    max_moves: int  # legal moves in one position, at most
    max_plies: int  # plies in one game, at most
    max_text: int  # bytes of a position text, at most
    max_move_text: ClassVar[int] = 8  # bytes of a move text, at most
    move_pattern: ClassVar[re.Pattern[str]]  # full-matches every text in this game's notation
    move_hint: ClassVar[str]  # the notation in a few words, for error messages

    def __init__(self, name: str, title: str) -> None:
        """name: the registry's.  title: for people."""
        self.name, self.title = name, title

    # --- the rules: run interpreted and compiled; what they return is a NumPy or a Python number, hence Any ---

    @compiled
    def generate(self, state: State, moves: Any) -> Any:
        """Write the legal moves (numbers of this game's own, 0..MOVE_NUMBERS - 1) into `moves`; return how many.

        None are legal when the game has ended by its own rules. Draws that only a referee declares (repetition,
        fifty moves, material) do not stop generation. A forced pass is a move.
        """
        raise NotImplementedError

    @compiled
    def make(self, state: State, move: int, child: State) -> None:
        """Write the position after `move` (legal, unchecked) into `child`, another record."""
        raise NotImplementedError

    @compiled
    def to_move(self, state: State) -> Any:
        """The seat to move, 0 or 1; by default the record's field `side`."""
        return np.int64(state.side)

    @compiled
    def takes_turns(self) -> Any:
        """Whether every move passes the turn to the other seat; False if a player may move again. Always the same."""
        return True

    @compiled
    def outcome(self, state: State, count: int) -> Any:
        """ONGOING, or `3 * i + r`: i indexes `endings`, r is SEAT_0_WINS, SEAT_1_WINS or DRAW.

        count: how many moves `generate` found.  Repetition is the referee's business and not looked at.
        """
        raise NotImplementedError

    @compiled
    def can_win(self, state: State, seat: int) -> Any:
        """Whether, in a game that goes on, some legal moves could let `seat` win (decides a loss on time or a draw).

        By default always.
        """
        return True

    @compiled
    def key(self, state: State) -> Any:
        """A uint64 hash of all that makes positions the same for the rules of repetition."""
        raise NotImplementedError

    @compiled
    def same(self, state: State, other: State) -> Any:
        """Whether both are the same position by the rules of repetition, exactly."""
        raise NotImplementedError

    @compiled
    def repeats(self, state: State) -> Any:
        """Over how many of the last plies a repetition of this position is possible; 0, the default, if never."""
        return np.int64(0)

    @compiled
    def write_state(self, state: State, out: Any) -> Any:
        """Write the position text as ASCII bytes into `out` (uint8); return its length."""
        raise NotImplementedError

    @compiled
    def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
        """Write the text of `move` into `out` from index `at`; return the index after it."""
        raise NotImplementedError

    @compiled
    def leaves_when_over(self, state: State) -> Any:
        """As how many leaves a finished game counts in perft at all depths greater than its end: 0 or 1."""
        return np.int64(0)

    @compiled
    def piece_on(self, state: State, cell: int) -> Any:
        """The index in `pieces` of what stands on a cell, -1 for nothing; by default always -1.

        cell: a place, numbered as `Game.cell_numbers` says.  With it many positions are seen at once (games/batch.py);
        without, their pictures are looked at, slowly.
        """
        return np.int64(-1)

    @compiled
    def switch_is_on(self, state: State, number: int) -> Any:
        """Whether one of the `switches` of the start, in their order from 0, is on; for games that have `piece_on`."""
        return False

    # --- in Python only ---

    def draw(self, state: State) -> str:
        """The position as a drawing for a terminal, several lines, ASCII."""
        raise NotImplementedError

    def new_state(self) -> State:
        """A zeroed record of this game's dtype, its own memory."""
        return self.new_states()[0]

    def new_states(self, count: int = 1) -> States:
        """An array of such records: what compiled steps between positions take."""
        return np.zeros(count, self._record)

    @functools.cached_property
    def _record(self) -> np.dtype[Any]:
        # numpy.record gives fields as attributes, which kernels need when interpreted; made this way a new state
        # takes 0.4 microseconds, through numpy.recarray 3.4.
        return np.dtype((np.record, self.state))

    def check_move_format(self, text: str) -> None:
        """Raise MoveFormatError unless `text` is in this game's notation."""
        if not self.move_pattern.fullmatch(text):
            raise MoveFormatError(f"{shown(text)} is not a move in the notation of {self.title} ({self.move_hint})")
