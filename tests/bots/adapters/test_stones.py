"""Positions and moves of games of stones, as engines have them."""

from __future__ import annotations

import pytest

from tabiya.bots.adapters.stones import read_board, square_of, square_text
from tabiya.games.registry import load_game


def test_stones_come_in_an_order_in_which_they_could_have_been_played() -> None:
    position = load_game("connect5").start({"columns": 7, "rows": 6})
    for move in ("a1", "g6", "b2"):
        position = position.play(move)
    board = read_board(position.text())
    assert (board.sides, board.seat) == ((7, 6), 1)
    assert board.in_turns() == [(0, 0, 0), (6, 5, 1), (1, 1, 0)]


def test_a_board_of_reversi_has_eight_columns() -> None:
    board = read_board(load_game("reversi").start().text())
    assert (board.sides, board.seat, len(board.in_turns())) == ((8, 8), 0, 4)


@pytest.mark.parametrize(("move", "square"), [("a1", (0, 0)), ("t20", (19, 19)), ("i9", (8, 8))])
def test_moves_and_squares_are_the_same(move: str, square: tuple[int, int]) -> None:
    assert square_of(move) == square
    assert square_text(*square) == move


def test_no_move_is_on_a_square_beyond_the_largest_board() -> None:
    assert square_text(20, 0) == ""
