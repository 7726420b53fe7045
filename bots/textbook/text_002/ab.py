"""002, "Alpha-Beta", second form: AB, from the view of the side to move.

Value X, for the side to move, by the theorem of the window (see maxab_minab.py).  Depth: none.  Ends: tested.
Deviation: none.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def AB(alpha: int, beta: int, P: Node) -> int:
    if P.over:
        return P.eval()
    for move in P.moves():
        alpha = max(alpha, -AB(-beta, -alpha, P.play(move)))
        if alpha >= beta:
            return alpha
    return alpha
