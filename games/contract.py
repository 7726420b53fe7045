"""What a game is: one contract, used by the referee, by every engine and by the tests.

A `Game` is its `Rules`, and a Python side that starts, reads, checks and draws positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import NamedTuple

from tabiya.games.board_setup import BoardSetup, ShownBoard, Switch
from tabiya.games.errors import OptionError, PlacingError, PositionError, SwitchError, shown
from tabiya.games.picture import EMPTY, Place, text_picture
from tabiya.games.polyglot import PolyglotNotation
from tabiya.games.position import Position
from tabiya.games.rules import Rules, State
from tabiya.games.sgf import SgfNotation
from tabiya.games.transcript import ONGOING_RESULT, GameRecord, write_transcript

LONGEST_TEXT = 1000  # longer ones are not even looked at

OptionValue = str | int | bool


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


class EdgeCase(NamedTuple):
    """A kind of turn that players get wrong: what it is, in words that fit behind "a turn where", and a position."""

    about: str
    position: str


class Game(Rules):
    """The contract. Attributes are facts about the game, beside those of `Rules`."""

    options: tuple[Option, ...] = ()
    opening_plies: int = 0  # plies of a random opening
    boards_have_sides: bool = False  # whether a picture is another from the other seat
    older_seat_names: tuple[tuple[str, str], ...] = ()  # in transcripts that were written before these were renamed
    move_letters: Mapping[str, str] = MappingProxyType({})  # what a letter behind the places of a move means, in words
    polyglot: PolyglotNotation | None = None  # how opening books in Polyglot's format name its moves; None: none do
    sgf: SgfNotation | None = None  # how its games are written as SGF; None: SGF knows no such game
    pieces: Mapping[str, str] = MappingProxyType({})  # what stands on places, in words as `Place.content`, by symbol

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        """The start position for checked options (every declared one present). Raises OptionError."""
        raise NotImplementedError

    def parse_state(self, text: str) -> State:
        """The position that `text` describes, fully validated. Raises PositionError."""
        raise NotImplementedError

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        """A position, or a board that is set up, as an SVG document with the last move marked; by default the drawing.

        It takes the position and not its state, so that heaps keep the places they had at the start of the game.
        seat: from whose side it is seen, where the game's boards have sides.
        """
        return text_picture(self.title, str(position))

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        """The places of its picture by which a person makes a move; none: moves have to be typed.

        Of a board that is set up: those on which pieces are put.
        """
        return ()

    def cell_numbers(self, places: Sequence[str]) -> Sequence[int]:
        """The numbers of these places for `piece_on`: all on which pieces are put, in order; by default from 0 on."""
        return range(len(places))

    def tally(self, position: ShownBoard) -> tuple[str, str]:
        """The count of each seat where the game counts something, in a few words; "" by default."""
        return "", ""

    def parse_setup(self, text: str) -> BoardSetup:
        """The board that `text` describes, whether or not the rules allow it. Raises PositionError."""
        raise PositionError(f"boards of {self.title} cannot be set up by hand")

    def put_piece(self, text: str, place: str, piece: str) -> str:
        """`placed`, after its checks."""
        raise NotImplementedError

    def put_mover(self, text: str, seat: int) -> str:
        """`with_mover`, where another seat is to move in `text`."""
        raise NotImplementedError

    def switches(self, board: BoardSetup) -> tuple[Switch, ...]:
        """What the board can have besides its pieces, as far as its pieces allow it."""
        return ()

    def turn_switch(self, text: str, name: str) -> str:
        """`switched`, after its checks."""
        raise NotImplementedError

    def piece_svg(self, piece: str) -> str:
        """A symbol of `pieces` as a picture of its own."""
        return text_picture(self.pieces[piece], piece)

    def opening_options(self, options: dict[str, OptionValue], below: Callable[[int], int]) -> dict[str, OptionValue]:
        """The start options of one random opening, drawn with `below(n)` (0 <= result < n); by default unchanged."""
        return options

    def opening_moves(self, position: Position) -> tuple[str, ...]:
        """The moves a random opening may choose from in `position`; never empty while the game goes on."""
        return position.legal_moves()

    def is_fair_opening(self, position: Position) -> bool:
        """Whether a match may begin here. That the game goes on and nobody wins at once is checked elsewhere."""
        return True

    def edge_cases(self) -> tuple[EdgeCase, ...]:
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
        tags = [("Game", self.name), ("Start", record.start_text)]
        start = self.parse(record.start_text)
        return write_transcript(start, record, lambda at, move, _: self.readable_move(at, move), start_tags=tags)

    def html(self, position: Position) -> str:
        """How notebooks show the game so far: the picture of its last position and its moves."""
        moves = self.transcript(GameRecord(position.start_text, position.moves)).partition("\n\n")[2]
        return f"{self.svg(position)}<p>{escape(moves.rstrip().removesuffix(ONGOING_RESULT))}</p>"

    def transcript_start(self, tags: Mapping[str, str]) -> Position:
        """The position that a transcript with these tags begins from. Raises PositionError."""
        return self.parse(tags["Start"]) if "Start" in tags else self.start()

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
        return Position.at(self, self.start_state(self.read_options(options)))

    def parse(self, text: str) -> Position:
        """The position that `text` describes, without history. Raises PositionError."""
        return Position.at(self, self.parse_state(_short(text)))

    # --- setting a board up by hand: texts that `parse` refuses until the board is complete

    def setup(self, text: str) -> BoardSetup:
        """The board that `text` describes, whether or not the rules allow it. Raises PositionError."""
        return self.parse_setup(_short(text))

    def placed(self, text: str, place: str, piece: str) -> str:
        """The board with a symbol of `pieces`, or EMPTY, on a place. Raises PositionError or PlacingError."""
        found = {each.name: each.content for each in self.places(self.setup(text))}
        if place not in found:
            raise PlacingError(f"{shown(place)} is no place of this board ({', '.join([*found][:3])}, …)")
        if piece not in (*self.pieces, EMPTY):
            listed = ", ".join([*self.pieces, EMPTY])
            raise PlacingError(f"{shown(piece)} is no piece of {self.title} (there are: {listed})")
        return text if found[place] == self.pieces.get(piece, EMPTY) else self.put_piece(text, place, piece)

    def emptied(self, text: str) -> str:
        """The board with nothing on it. Raises PositionError."""
        for place in self.places(self.setup(text)):
            text = text if place.content == EMPTY else self.put_piece(text, place.name, EMPTY)
        return text

    def switched(self, text: str, name: str) -> str:
        """The board with one of its `switches` turned. Raises PositionError or SwitchError."""
        names = [switch.name for switch in self.switches(self.setup(text))]
        if name not in names:
            raise SwitchError(f"{shown(name)} is no switch of this board (it has: {', '.join(names) or 'none'})")
        return self.turn_switch(text, name)

    def with_mover(self, text: str, seat: int) -> str:
        """The board with this seat to move. Raises PositionError."""
        return text if self.setup(text).to_move == seat else self.put_mover(text, seat)


def _short(text: str) -> str:
    """The text, if it is not too long to be looked at. Raises PositionError."""
    if len(text) > LONGEST_TEXT:
        raise PositionError(f"a position text is at most {LONGEST_TEXT} characters, not {len(text)}: {shown(text)}")
    return text
