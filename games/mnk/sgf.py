"""Five in a row in SGF, which has one number for gomoku and renju, and none for rows of another length.

Source: docs/sources.md#sgf
"""

from __future__ import annotations

from tabiya.games.sgf import SgfBoard, SgfNotation

IN_ROW = 5


def _board(text: str) -> SgfBoard:
    size, cells, _ = text.split(" ")
    columns, rows, _ = map(int, size.split("x"))
    return SgfBoard(columns, rows, cells)


SGF = SgfNotation(game=4, board=_board, rules="gomoku, five or more in a row win for both")
