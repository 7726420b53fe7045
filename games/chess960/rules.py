"""Chess960: the laws of FIDE (Guidelines II) for 960 starts, as a kind of chess.

Positions are X-FEN (Shredder-FEN is read too), moves UCI; castling is the king's move onto its own rook.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tabiya.games.board_setup import BoardSetup, Switch
from tabiya.games.chess import Chess
from tabiya.games.chess.board import ALL_SQUARES, king_square, same_men
from tabiya.games.chess.fen import EMPTY as NO_MAN
from tabiya.games.chess.fen import fill, read_fields
from tabiya.games.chess.movegen import generate_moves
from tabiya.games.chess.openings import FREE_PLIES
from tabiya.games.chess.texts import write_after_castling, write_men_and_side
from tabiya.games.chess960.castling import STATE_960, castling_moves, make_move_960, write_rights
from tabiya.games.chess960.edge_cases import EDGE_CASES
from tabiya.games.chess960.rights import castling_switches, put_man, read_rooks, turn_right
from tabiya.games.chess960.starts import ORTHODOX, STARTS, start_fen
from tabiya.games.compiled.bits import ONE, ZERO, U, bit, mix
from tabiya.games.contract import EdgeCase, Option, OptionValue
from tabiya.games.picture import EMPTY
from tabiya.games.position import Position
from tabiya.games.registry import PGN_VARIANTS
from tabiya.games.rules import State


class Chess960(Chess):
    """Chess from any of the 960 starts."""

    state = STATE_960
    options = (Option("number", ORTHODOX, f"of the start; {ORTHODOX} is that of chess", 0, STARTS - 1),)
    opening_plies = FREE_PLIES
    variant = "Chess960"
    variants = tuple(PGN_VARIANTS)
    move_hint = f"{Chess.move_hint}; to castle, the king's square and its rook's"

    def generate(self, state: State, moves: Any) -> Any:
        return castling_moves(state, moves, generate_moves(state, moves, ALL_SQUARES))

    def make(self, state: State, move: int, child: State) -> None:
        make_move_960(state, move, child)

    def key(self, state: State) -> Any:
        return state.hash ^ mix(state.rooks)

    def same(self, state: State, other: State) -> Any:
        """Same men, side, rooks that may castle and en-passant possibilities."""
        return same_men(state, other) and state.rooks == other.rooks

    def write_state(self, state: State, out: Any) -> Any:
        at = write_rights(state, out, write_men_and_side(state, out))
        return write_after_castling(state, out, at)

    def switch_is_on(self, state: State, number: int) -> Any:
        seat = np.int64(number >> 1)
        rooks, king = state.rooks & state.colours[seat], bit(king_square(state, seat))
        return rooks & (king - ONE) != ZERO if number & 1 else rooks > king

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        return self.parse_state(start_fen(int(options["number"])))

    def parse_state(self, text: str) -> State:
        board, side, castling, *others = read_fields(text)
        state = fill(self.new_state(), [board, side, "-", *others], text)
        state.rooks = U(read_rooks(castling, board))
        return state

    def put_piece(self, text: str, place: str, piece: str) -> str:
        return put_man(text, place, NO_MAN if piece == EMPTY else piece)

    def switches(self, board: BoardSetup) -> tuple[Switch, ...]:
        return castling_switches(board.text())

    def turn_switch(self, text: str, name: str) -> str:
        return turn_right(text, name)

    def opening_options(self, options: dict[str, OptionValue], below: Callable[[int], int]) -> dict[str, OptionValue]:
        """Any start."""
        return options | {"number": below(STARTS)}

    def opening_moves(self, position: Position) -> tuple[str, ...]:
        """Any move."""
        return position.legal_moves()

    def edge_cases(self) -> tuple[EdgeCase, ...]:
        return EDGE_CASES
