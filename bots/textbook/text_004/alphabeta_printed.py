"""004, "Modified Minimax Algorithm with Alpha-Beta Pruning", as printed.

Value: exact at the root, for Max.  Depth: counts down to 0.  Ends: as printed only the limit is tested; a final state
is evaluated too, as in lookahead.py.  It resets its own bound at every node, so a bound reaches one ply down and deep
cut-offs vanish, and it cuts on strict > and <: see alphabeta_corrected.py.
Deviation: the test of the end; `turn` is read off the state.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY as infinity
from tabiya.bots.textbook.node import Node


def Minimax(state: Node, lookahead: int, alpha: int, beta: int) -> int:
    if lookahead == 0 or state.over:
        return state.analysis()
    if state.seat == 0:
        alpha = -infinity
        for s in state.moves():
            alpha = max(alpha, Minimax(state.play(s), lookahead - 1, alpha, beta))
            if alpha > beta:
                return alpha
        return alpha
    beta = +infinity
    for s in state.moves():
        beta = min(beta, Minimax(state.play(s), lookahead - 1, alpha, beta))
        if beta < alpha:
            return beta
    return beta
