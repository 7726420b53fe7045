"""002, "Alpha-Beta", first form: MaxAB and MinAB, from the view of Max.

Value X, for Max, by the theorem of the window: X <= alpha: the exact value is at most alpha; X >= beta: at least beta;
between: X is exact. Never below alpha except at a terminal position, which returns its value whatever the window.
Depth: none.  Ends: tested.  Deviation: none.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def MaxAB(alpha: int, beta: int, P: Node) -> int:
    if P.over:
        return P.analysis()
    for move in P.moves():
        alpha = max(alpha, MinAB(alpha, beta, P.play(move)))
        if alpha >= beta:
            return alpha
    return alpha


def MinAB(alpha: int, beta: int, P: Node) -> int:
    if P.over:
        return P.analysis()
    for move in P.moves():
        beta = min(beta, MaxAB(alpha, beta, P.play(move)))
        if beta <= alpha:
            return beta
    return beta
