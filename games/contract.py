"""What a game is: one contract, used by the referee, by every engine and by the tests.

A game is a `Kernel`: its rules are plain methods over a record (`state`, a structured NumPy dtype) that run
interpreted or compiled. Its Python side starts, reads, checks and draws positions. Nothing that comes from outside
reaches a kernel before `start_state` or `parse_state` has checked it against the declared bounds: kernels do not
check indices.

Seats: 0 is the first player (White, X), 1 the second. A seat is a colour, not a bot.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from tabiya.games.compiled.kernel_types import Kernel, compiled
from tabiya.games.endings import Ending
from tabiya.games.errors import MoveFormatError, OptionError, PositionError, shown
from tabiya.games.picture import text_picture

if TYPE_CHECKING:
    import re

    from tabiya.games.position import Position
    from tabiya.games.transcript import GameRecord

ONGOING = -1
SEAT_0_WINS, SEAT_1_WINS, DRAW = 0, 1, 2

LONGEST_TEXT = 1000  # longer ones are not even looked at

State = Any  # a NumPy record of the game's dtype
States = Any  # an array of one such record
OptionValue = str | int | bool


class Outcome(NamedTuple):
    """How a game ended: `winner` is the seat 0 or 1, None for a draw."""

    winner: int | None
    ending: Ending


@dataclass(frozen=True, slots=True)
class Option:
    """One start option of a game: its kind is the type of `default`; `low..high` bounds an integer."""

    name: str
    default: OptionValue
    help: str
    low: int = 0
    high: int = 0

    def read(self, value: object) -> OptionValue:
        """`value` as this option's type (texts such as "7" or "yes" are read). Raises OptionError."""
        if isinstance(self.default, bool):
            return self._read_bool(value)
        if isinstance(self.default, int):
            return self._read_int(value)
        if not isinstance(value, str) or len(value) > 200:
            raise OptionError(f"option {self.name} takes a text of at most 200 characters, not {shown(value)}")
        return value

    def _read_bool(self, value: object) -> bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise OptionError(f"option {self.name} takes true or false, not {shown(value)}")

    def _read_int(self, value: object) -> int:
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise OptionError(
                f"option {self.name} takes a whole number from {self.low} to {self.high}, not {shown(value)}"
            )
        return value


class TrickyTurn(NamedTuple):
    """A kind of turn that players get wrong: what it is, in words that fit behind "a turn where", and a position."""

    about: str
    position: str


class Game(Kernel):
    """The contract. Attributes are facts about the game; `@compiled` methods are the rules themselves."""

    name: str  # the registry's name, as on the wire
    title: str  # for people
    state: ClassVar[np.dtype[Any]]  # the position, without its history
    rules_version: ClassVar[int]  # rises only when the same moves can end differently
    seat_names: ClassVar[tuple[str, str]]
    endings: ClassVar[tuple[Ending, ...]]  # `outcome` speaks of them by index
    draws_possible: bool
    options: tuple[Option, ...] = ()
    max_moves: int  # legal moves in one position, at most
    max_plies: int  # plies in one game, at most
    max_text: int  # bytes of a position text, at most
    max_move_text: ClassVar[int] = 8  # bytes of a move text, at most
    move_pattern: ClassVar[re.Pattern[str]]  # full-matches every text in this game's notation
    move_hint: ClassVar[str]  # the notation in a few words, for error messages
    opening_plies: int = 0  # plies of a random opening

    def __init__(self, name: str, title: str) -> None:
        """name: the registry's.  title: for people."""
        self.name, self.title = name, title

    # --- the rules: run interpreted and compiled; what they return is a NumPy or a Python number, hence Any ---

    @compiled
    def generate(self, state: State, moves: Any) -> Any:
        """Write the legal moves (int32 numbers of this game's own coding) into `moves`; return how many.

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
        """The seat to move, 0 or 1."""
        raise NotImplementedError

    @compiled
    def outcome(self, state: State, count: int) -> Any:
        """ONGOING, or `3 * i + r`: i indexes `endings`, r is SEAT_0_WINS, SEAT_1_WINS or DRAW.

        count: how many moves `generate` found.  Repetition is the referee's business and not looked at.
        """
        raise NotImplementedError

    @compiled
    def can_win(self, state: State, seat: int) -> Any:
        """Whether, in a game that goes on, some legal moves could let `seat` win (decides a loss on time or a draw)."""
        raise NotImplementedError

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
        """Over how many of the last plies a repetition of this position is possible; 0 if never."""
        raise NotImplementedError

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

    # --- the Python side ---

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        """The start position for checked options (every declared one present). Raises OptionError."""
        raise NotImplementedError

    def parse_state(self, text: str) -> State:
        """The position that `text` describes, fully validated. Raises PositionError."""
        raise NotImplementedError

    def draw(self, state: State) -> str:
        """The position as a drawing for a terminal, several lines, ASCII."""
        raise NotImplementedError

    def svg(self, position: Position) -> str:
        """The position as a picture for pages, an SVG document with the last move marked; by default the drawing.

        It takes the position and not its state, so that heaps keep the places they had at the start of the game.
        """
        return text_picture(self.title, self.draw(position.state))

    def opening_options(self, options: dict[str, OptionValue], below: Callable[[int], int]) -> dict[str, OptionValue]:
        """The start options of one random opening, drawn with `below(n)` (0 <= result < n); by default unchanged."""
        return options

    def opening_moves(self, position: Position) -> tuple[str, ...]:
        """The moves a random opening may choose from in `position`; never empty while the game goes on."""
        return position.legal_moves()

    def is_fair_opening(self, position: Position) -> bool:
        """Whether a match may begin here. That the game goes on and nobody wins at once is checked elsewhere."""
        return True

    def tricky_turns(self) -> tuple[TrickyTurn, ...]:
        """Turns that a player must be able to answer and that seldom come up; `tabiya check` asks each of them."""
        return ()

    def readable_move(self, position: Position, move: str) -> str:
        """The legal move `move` as people write it. Raises IllegalMove or MoveFormatError."""
        position.check_move(move)
        return move

    def read_move(self, position: Position, text: str) -> str:
        """The move in wire notation that a person means by `text`. Raises IllegalMove or MoveFormatError."""
        position.check_move(text)
        return text

    def transcript(self, record: GameRecord) -> str:
        """The game as a text for people and other programs. Raises GameError if it cannot be played."""
        from tabiya.games import transcript

        return transcript.write(self, record, start_tags=[("Game", self.name), ("Start", record.start_text)])

    def new_state(self) -> State:
        """A zeroed record of this game's dtype, its own memory."""
        return self.new_states()[0]

    def new_states(self) -> States:
        """An array of one such record: what compiled steps between positions take."""
        return np.zeros(1, self._record)

    def __reduce__(self) -> str | tuple[Any, ...]:
        from tabiya.games.registry import is_registered, load_game

        # in another process the game of that name, not a copy
        return (load_game, (self.name,)) if is_registered(self) else super().__reduce__()

    @functools.cached_property
    def _record(self) -> np.dtype[Any]:
        # numpy.record gives fields as attributes, which kernels need when interpreted; made this way a new state
        # takes 0.4 microseconds, through numpy.recarray 3.4.
        return np.dtype((np.record, self.state))

    def read_options(self, given: Mapping[str, object] | None = None) -> dict[str, OptionValue]:
        """All options with their values, defaults filled in. Raises OptionError."""
        given = dict(given or {})
        values = {option.name: option.read(given.pop(option.name, option.default)) for option in self.options}
        if given:
            allowed = ", ".join(option.name for option in self.options) or "none"
            raise OptionError(f"{self.title} has no option {shown(next(iter(given)))} (it has: {allowed})")
        return values

    def start(self, options: Mapping[str, object] | None = None) -> Position:
        """The start position. Raises OptionError."""
        from tabiya.games.position import Position

        return Position.at(self, self.start_state(self.read_options(options)))

    def parse(self, text: str) -> Position:
        """The position that `text` describes, without history. Raises PositionError."""
        from tabiya.games.position import Position

        if len(text) > LONGEST_TEXT:
            raise PositionError(f"a position text is at most {LONGEST_TEXT} characters, not {len(text)}: {shown(text)}")
        return Position.at(self, self.parse_state(text))

    def check_move_format(self, text: str) -> None:
        """Raise MoveFormatError unless `text` is in this game's notation."""
        if not self.move_pattern.fullmatch(text):
            raise MoveFormatError(f"{shown(text)} is not a move in the notation of {self.title} ({self.move_hint})")
