"""004's alpha-beta corrected: the bounds are inherited as its own input list says, and equal bounds cut.

Value: for Max, as 002's MaxAB and MinAB promise.  Depth: counts down to 0.  Ends: tested.
Deviation: the two resets are gone; >= and <= instead of > and <; the test of the end; `turn` is read off the state.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def Minimax(state: Node, lookahead: int, alpha: int, beta: int) -> int:
    if lookahead == 0 or state.over:
        return state.analysis()
    if state.seat == 0:
        for s in state.moves():
            alpha = max(alpha, Minimax(state.play(s), lookahead - 1, alpha, beta))
            if alpha >= beta:
                return alpha
        return alpha
    for s in state.moves():
        beta = min(beta, Minimax(state.play(s), lookahead - 1, alpha, beta))
        if beta <= alpha:
            return beta
    return beta
