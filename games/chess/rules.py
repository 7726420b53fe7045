"""Chess by the laws of FIDE, as one class of the contract.

Positions are FEN, moves UCI. Seat 0 is White. The referee ends the game at 100 half-moves without capture or pawn move
(a mate on the board comes first), at the third repetition, and when the material can mate nobody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from tabiya.games.board_setup import BoardSetup, ShownBoard, Switch
from tabiya.games.chess.board import ALL_SQUARES, KING, STATE, in_check, same_men
from tabiya.games.chess.board_setup import castling_switches, put_man, put_side, turn_right
from tabiya.games.chess.edge_cases import EDGE_CASES
from tabiya.games.chess.fen import EMPTY as NO_MAN
from tabiya.games.chess.fen import LONGEST, SIDES, START, read_fen, read_fields
from tabiya.games.chess.make import make_move
from tabiya.games.chess.material import can_mate, is_insufficient, leads
from tabiya.games.chess.movegen import MAX_MOVES, generate_moves
from tabiya.games.chess.openings import FREE_PLIES, LINE_PLIES, is_level, opening_moves
from tabiya.games.chess.picture import BLACK, NAMES, WHITE, WORDS, picture, piece_picture, places
from tabiya.games.chess.polyglot import POLYGLOT
from tabiya.games.chess.san import read_san, write_san
from tabiya.games.chess.texts import write_fen, write_uci
from tabiya.games.compiled.bits import ZERO, bit
from tabiya.games.contract import EdgeCase, Game, OptionValue
from tabiya.games.endings import Ending
from tabiya.games.errors import PositionError, shown
from tabiya.games.picture import EMPTY, Place
from tabiya.games.position import Position
from tabiya.games.rules import DRAW, ONGOING, SEAT_0_WINS, SEAT_1_WINS, State
from tabiya.games.transcript import GameRecord, write_transcript

CHECKMATE, STALEMATE, INSUFFICIENT_MATERIAL, FIFTY_MOVES = range(4)
DRAW_AFTER_HALFMOVES = 100


class Chess(Game):
    """Orthodox chess."""

    state = STATE
    rules_version = 1
    seat_names = ("White", "Black")
    seat_colours = (WHITE[0], BLACK[0])
    endings = (
        Ending.CHECKMATE,
        Ending.STALEMATE,
        Ending.INSUFFICIENT_MATERIAL,
        Ending.FIFTY_MOVES,
        Ending.THREEFOLD_REPETITION,
    )
    draws_possible = True
    polyglot = POLYGLOT
    pieces = MappingProxyType(WORDS)
    boards_have_sides = True
    max_moves = MAX_MOVES
    # 96 pawn moves and 30 captures, before each and after the last at most 99 other plies and the hundredth
    max_plies = 127 * DRAW_AFTER_HALFMOVES
    max_text = LONGEST
    variant: ClassVar[str] = ""  # in the tag Variant of transcripts, "" without the tag
    variants: ClassVar[tuple[str, ...]] = ("", "standard", "chess", "normal", "from position")  # of other programs
    max_move_text = 5
    move_pattern = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
    opening_plies = LINE_PLIES + FREE_PLIES
    move_letters = MappingProxyType({letter: NAMES[letter] for letter in "qrbn"})
    move_hint = "from and to, such as e2e4, with the new piece when a pawn promotes: e7e8q"

    def generate(self, state: State, moves: Any) -> Any:
        return generate_moves(state, moves, ALL_SQUARES)

    def make(self, state: State, move: int, child: State) -> None:
        make_move(state, move, child)

    def to_move(self, state: State) -> Any:
        return np.int64(state.side)

    def outcome(self, state: State, count: int) -> Any:
        if count == 0:
            if in_check(state):
                return np.int64(3 * CHECKMATE + (SEAT_1_WINS if state.side == 0 else SEAT_0_WINS))
            return np.int64(3 * STALEMATE + DRAW)
        if is_insufficient(state):
            return np.int64(3 * INSUFFICIENT_MATERIAL + DRAW)
        if state.halfmoves >= DRAW_AFTER_HALFMOVES:
            return np.int64(3 * FIFTY_MOVES + DRAW)
        return np.int64(ONGOING)

    def can_win(self, state: State, seat: int) -> Any:
        """Whether the material could mate with the opponent's help (see material.py)."""
        return can_mate(state, seat)

    def key(self, state: State) -> Any:
        return state.hash

    def same(self, state: State, other: State) -> Any:
        """Same men, side, castling rights and en-passant possibilities (FIDE 9.2.3)."""
        return same_men(state, other) and state.castling == other.castling

    def repeats(self, state: State) -> Any:
        return np.int64(state.halfmoves)

    def write_state(self, state: State, out: Any) -> Any:
        return write_fen(state, out)

    def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
        return write_uci(move, out, at)

    def piece_on(self, state: State, cell: int) -> Any:
        is_black = state.colours[1] & bit(cell) != ZERO
        return KING - np.int64(state.kinds[cell]) + (6 if is_black else 0)  # of an empty square it is -1

    def switch_is_on(self, state: State, number: int) -> Any:
        return (state.castling >> number) & 1 != 0

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        return self.parse_state(START)

    def parse_state(self, text: str) -> State:
        return read_fen(text, self.new_state())

    def parse_setup(self, text: str) -> BoardSetup:
        return BoardSetup(self, text, SIDES.index(read_fields(text)[1]))

    def put_piece(self, text: str, place: str, piece: str) -> str:
        return put_man(text, place, NO_MAN if piece == EMPTY else piece)

    def put_mover(self, text: str, seat: int) -> str:
        return put_side(text, SIDES[seat])

    def switches(self, board: BoardSetup) -> tuple[Switch, ...]:
        return castling_switches(board.text())

    def turn_switch(self, text: str, name: str) -> str:
        return turn_right(text, name)

    def opening_moves(self, position: Position) -> tuple[str, ...]:
        """The moves of a well-known line, then any (see openings.py)."""
        return opening_moves(self, position)

    def is_fair_opening(self, position: Position) -> bool:
        """Whether neither side has lost material."""
        return is_level(position)

    def edge_cases(self) -> tuple[EdgeCase, ...]:
        return EDGE_CASES

    def readable_move(self, position: Position, move: str) -> str:
        """The legal move in algebraic notation (SAN)."""
        return write_san(position, move)

    def read_move(self, position: Position, text: str) -> str:
        """A person's move, in algebraic notation or UCI."""
        return text if text in position.legal_moves() else read_san(position, text)

    def transcript(self, record: GameRecord) -> str:
        """The game as PGN (Edwards 1994, the export format); games/transcript_reader.py reads it."""
        start = self.parse(record.start_text)
        tags = [("Variant", self.variant)] if self.variant else []
        if self.variant or start.text() != START:
            tags += [("SetUp", "1"), ("FEN", start.text())]
        return write_transcript(start, record, write_san, start_tags=tags, number=int(start.state.fullmove))

    def transcript_start(self, tags: Mapping[str, str]) -> Position:
        if tags.get("Variant", "").lower() not in self.variants:
            raise PositionError(
                f"only {self.variant or 'orthodox chess'} is read, not {shown(tags.get('Variant', ''))}"
            )
        try:
            return self.parse(tags.get("FEN", START))
        except PositionError as error:
            raise PositionError(f"the FEN tag is wrong: {error}") from error

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        return picture(position, seat)

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        return places(position, seat)

    def piece_svg(self, piece: str) -> str:
        return piece_picture(piece)

    def tally(self, position: ShownBoard) -> tuple[str, str]:
        return leads(position.text())

    def draw(self, state: State) -> str:
        letters = [".PNBRQK"[kind] for kind in (state.kinds + 1) % 7]
        men = [
            letter.lower() if int(state.colours[1]) >> square & 1 else letter for square, letter in enumerate(letters)
        ]
        ranks = [f"{rank + 1} " + " ".join(men[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1)]
        return "\n".join([*ranks, "  a b c d e f g h"])
