"""Reading FEN. Everything is checked here before a compiled function sees the position.

Four to six fields are read; the counters default to 0 and 1. An en-passant square that a pawn may just have passed is
dropped if no capture there is legal; one that no pawn can have passed is an error.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tabiya.games.chess.board import MOST_FULLMOVES, MOST_HALFMOVES, NO_SQUARE
from tabiya.games.chess.setup import (
    CHECK_BEFORE_EN_PASSANT,
    CHECKERS_FACE_EACH_OTHER,
    KING_CAN_BE_TAKEN,
    SOUND,
    TOO_MANY_CHECKERS,
    set_up,
)
from tabiya.games.errors import PositionError, shown

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LONGEST = 100
LETTERS = "PNBRQKpnbrqk"
EMPTY = "."
SEATS = ("White", "Black")
SIDES = "wb"
USUAL_COUNTS = {"N": 2, "B": 2, "R": 2, "Q": 1}
CASTLING_HOMES = {"K": {4: "K", 7: "R"}, "Q": {4: "K", 0: "R"}, "k": {60: "k", 63: "r"}, "q": {60: "k", 56: "r"}}
FAULTS = {
    KING_CAN_BE_TAKEN: "the side that is not to move stands in check",
    TOO_MANY_CHECKERS: "more than two men give check",
    CHECKERS_FACE_EACH_OTHER: "no move can give check from both sides of the king at once",
    CHECK_BEFORE_EN_PASSANT: "the king stood in check already before the pawn passed the en-passant square",
}


def read_fen(text: str, state: Any) -> Any:
    """Fill the zeroed record `state` with the position that `text` describes; return it. Raises PositionError."""
    return fill(state, read_fields(text), text)


def fill(state: Any, fields: list[str], text: str) -> Any:
    """The same from the fields of `read_fields`; `text` is for error messages."""
    board, side_text, castling_text, en_passant_text, halfmoves, fullmove = fields
    _check_men(board)
    side = SIDES.index(side_text)
    castling = _castling(castling_text, board)
    en_passant = _en_passant(en_passant_text, board, side)
    numbers = (
        side,
        castling,
        en_passant,
        _counter("halfmove", halfmoves, 0, MOST_HALFMOVES),
        _counter("fullmove", fullmove, 1, MOST_FULLMOVES),
    )
    men = np.array([LETTERS.find(letter) for letter in board], np.int8)
    fault = set_up(state, men, np.array(numbers, np.int64))
    if fault != SOUND:
        raise PositionError(f"{FAULTS[int(fault)]} in {shown(text, LONGEST)}")
    return state


def read_fields(text: str) -> list[str]:
    """The six fields, the first as 64 letters from a1, EMPTY for none. Raises PositionError.

    Checks only that there is a board and a side to move.
    """
    placement, side, *others = _fields(text)
    board = _board(placement)
    if side not in tuple(SIDES):
        raise PositionError(f"the side to move in a FEN is w or b, not {shown(side)}")
    return [board, side, *others]


def _fields(text: str) -> list[str]:
    if len(text) > LONGEST:
        raise PositionError(f"a FEN has at most {LONGEST} characters, not {len(text)}")
    fields = text.split()
    if not 4 <= len(fields) <= 6:
        raise PositionError(
            "a FEN has 4 to 6 fields (men, side, castling, en passant, halfmoves, fullmove), "
            f"not {len(fields)}: {shown(text)}"
        )
    return fields + ["0", "1"][len(fields) - 4 :]


def _board(placement: str) -> str:
    """64 letters from a1, EMPTY for none."""
    ranks = placement.split("/")
    if len(ranks) != 8:
        raise PositionError(f"the board of a FEN has 8 ranks between slashes, not {len(ranks)}: {shown(placement)}")
    return "".join(_rank(number, rank) for number, rank in zip(range(1, 9), reversed(ranks), strict=True))


def _rank(number: int, text: str) -> str:
    """The 8 letters of one rank."""
    for letter in text:
        if letter not in LETTERS and letter not in "12345678":
            raise PositionError(
                f"rank {number} of a FEN holds the letters {LETTERS} and digits 1 to 8, not {shown(letter)}"
            )
    if any(first.isdigit() and second.isdigit() for first, second in pairwise(text)):
        raise PositionError(f"rank {number} of a FEN counts empty squares by one digit, not two: {shown(text)}")
    squares = "".join(EMPTY * int(letter) if letter.isdigit() else letter for letter in text)
    if len(squares) != 8:
        raise PositionError(f"rank {number} of a FEN describes 8 squares, not {len(squares)}: {shown(text)}")
    return squares


def _check_men(board: str) -> None:
    """Check the number of men; what the bound on legal moves rests on."""
    for seat, letters in zip(SEATS, (LETTERS[:6], LETTERS[6:]), strict=True):
        count = {letter.upper(): board.count(letter) for letter in letters}
        if count["K"] != 1:
            raise PositionError(f"each side has exactly one king; {seat} has {count['K']}")
        if count["P"] > 8:
            raise PositionError(f"each side has at most 8 pawns; {seat} has {count['P']}")
        if sum(count.values()) > 16:
            raise PositionError(f"each side has at most 16 men; {seat} has {sum(count.values())}")
        promoted = sum(max(0, count[kind] - usual) for kind, usual in USUAL_COUNTS.items())
        if promoted > 8 - count["P"]:
            raise PositionError(
                f"{seat} has {promoted} promoted men, more than the {8 - count['P']} pawns missing from its 8"
            )
    if "P" in (outer := board[:8] + board[56:]).upper():
        square = next(index for index, letter in enumerate(outer) if letter in "Pp")
        raise PositionError(f"no pawn can stand on rank {1 if square < 8 else 8}")


def _castling(text: str, board: str) -> int:
    """The rights as bits."""
    if text == "-":
        return 0
    if not text or len(set(text)) != len(text) or set(text) - set("KQkq"):
        raise PositionError(f"castling rights in a FEN are - or some of KQkq, each once, not {shown(text)}")
    for right in text:
        if any(board[square] != man for square, man in CASTLING_HOMES[right].items()):
            raise PositionError(f"the castling right {right} needs king and rook on their first squares")
    return sum(1 << "KQkq".index(right) for right in text)


def _en_passant(text: str, board: str, side: int) -> int:
    """The square, or NO_SQUARE. Whether a capture there is legal is seen later."""
    if text == "-":
        return NO_SQUARE
    rank = "63"[side]
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] != rank:
        raise PositionError(
            f"with {SEATS[side]} to move, the en-passant square in a FEN is - or on rank {rank}, not {shown(text)}"
        )
    square = "abcdefgh".index(text[0]) + 8 * (int(rank) - 1)
    forward = 8 - 16 * side
    if (board[square + forward], board[square], board[square - forward]) != (EMPTY, EMPTY, "pP"[side]):
        raise PositionError(f"no pawn can just have passed the en-passant square {text}")
    return square


def _counter(name: str, text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and low <= int(text) <= high):
        raise PositionError(f"the {name} counter of a FEN is a number from {low} to {high}, not {shown(text)}")
    return int(text)
