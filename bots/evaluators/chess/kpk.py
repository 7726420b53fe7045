"""King and pawn against king: every position, won or not, computed when this is imported (some 20 ms).

WON[side][pawn, king] is the set of the squares of the bare king from which the pawn's side wins; side 0: it is to move,
1: the bare king is. The pawn's side is White, its pawn on one of the files a to d: mirror the board for others. Found
by going back from the promotions until nothing changes, with whole sets of squares at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.chess.bitboards import NOT_A, NOT_H
from tabiya.games.chess.tables import KING_REACH, PAWN_REACH
from tabiya.games.compiled.bits import U

Sets = np.ndarray[Any, np.dtype[np.uint64]]
PAWNS = [8 * rank + file for rank in range(1, 7) for file in range(4)]
ALL = U(0xFFFFFFFFFFFFFFFF)
BITS: Sets = U(1) << np.arange(64, dtype=np.uint64)


def around(squares: Sets) -> Sets:
    """The squares one king's step from any of `squares`, for many sets."""
    sides = ((squares & NOT_A) >> U(1)) | ((squares & NOT_H) << U(1))
    rows = squares | sides
    return sides | rows << U(8) | rows >> U(8)


def pushed(wins: Sets) -> Sets:
    """From where pushing the pawn wins. wins: where the bare king to move has lost."""
    found = np.zeros_like(wins)
    for at, pawn in enumerate(PAWNS):
        goal = pawn + 8
        if goal > 55:
            guarded = (KING_REACH & BITS[goal]) != U(0)  # by our king: a queen there cannot be taken
            found[at] = np.where(guarded, ALL, ~KING_REACH[goal])
        else:
            found[at] = wins[at + 4]
            if pawn < 16:
                found[at] |= wins[at + 8] & ~BITS[goal] & ~BITS[goal + 8]
        found[at] &= ~BITS[goal]
        found[at, goal] = 0
        if pawn < 16:
            found[at, goal + 8] &= wins[at + 4, goal + 8]
    return found


def stepped(wins: Sets, legal: Sets) -> Sets:
    """From where a step of our king wins."""
    found = np.zeros_like(wins)
    for king in range(64):
        for goal in range(64):
            if int(KING_REACH[king]) >> goal & 1:
                found[:, king] |= wins[:, goal] & legal[:, goal]
    return found


def solve() -> Sets:
    """WON."""
    pawns = np.array(PAWNS)
    hit = PAWN_REACH[0][pawns][:, None]  # by the pawn
    apart = ~(KING_REACH | BITS)[None, :]  # from our king
    legal = np.broadcast_to(apart, (24, 64)) & ~BITS[pawns][:, None]
    legal = np.where(pawns[:, None] == np.arange(64)[None, :], U(0), legal)
    safe = apart & ~hit  # where the bare king may step; the pawn's square too, unless it is guarded
    ours, theirs = np.zeros((24, 64), np.uint64), np.zeros((24, 64), np.uint64)
    while True:
        escapes = around(safe & ~(ours & ~BITS[pawns][:, None]))
        stuck = ~around(safe) & ~hit  # stalemate
        more_theirs = legal & ~escapes & ~stuck
        more_ours = (pushed(more_theirs) | stepped(more_theirs, legal)) & legal & ~hit
        if np.array_equal(more_ours, ours) and np.array_equal(more_theirs, theirs):
            return np.stack([ours, theirs])
        ours, theirs = more_ours, more_theirs


WON = solve()
