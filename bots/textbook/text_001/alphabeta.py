"""001, "Alpha-beta".

Value: for the side to move, fail-hard: never outside the window.  Depth: counts down to 0.  Ends: never tested, so a
side without a move gets alpha: no better than the worst it already knows.  Cuts at val >= beta.
Deviation: the board is an argument, not a global, so there is no unmakeMove.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def alphabeta(b: Node, depth: int, alpha: int, beta: int) -> int:
    if depth == 0:
        return b.eval()
    for m in b.moves():
        val = -alphabeta(b.play(m), depth - 1, -beta, -alpha)  # note the minus signs, and the change of places
        if val >= beta:
            return beta
        if val > alpha:
            alpha = val  # both sides want to maximize
    return alpha
