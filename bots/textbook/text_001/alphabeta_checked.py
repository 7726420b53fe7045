"""001's alpha-beta with the test of the end that the text leaves out; what plays as `alphabeta-failhard`.

Value: for the side to move, fail-hard above the leaves; an ended game may be worth more or less than the window.
Depth: counts down to 0.  Ends: tested.  Deviation from alphabeta.py: `or b.over`.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def alphabeta(b: Node, depth: int, alpha: int, beta: int) -> int:
    if depth == 0 or b.over:
        return b.eval()
    for m in b.moves():
        val = -alphabeta(b.play(m), depth - 1, -beta, -alpha)
        if val >= beta:
            return beta
        if val > alpha:
            alpha = val
    return alpha
