"""Reversi in SGF, which calls it Othello. Source: docs/sources.md#sgf"""

from __future__ import annotations

from tabiya.games.sgf import SgfBoard, SgfNotation


def _board(text: str) -> SgfBoard:
    return SgfBoard(8, 8, text.partition(" ")[0])


SGF = SgfNotation(game=2, board=_board, downwards=True, counts=True)
