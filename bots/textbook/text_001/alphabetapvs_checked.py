"""001's principal variation search with the test of the end that the text leaves out; what plays as `pvs-failhard`.

Value: for the side to move, fail-hard above the leaves; whole numbers are assumed.  Depth: counts down to 0.
Ends: tested.  Deviation from alphabetapvs.py: `or b.over`.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def alphabetapvs(b: Node, ply: int, depth: int, alpha: int, beta: int) -> int:
    pvfound = False
    if depth == 0 or b.over:
        return b.eval()
    for m in b.moves():
        c = b.play(m)
        if pvfound:
            val = -alphabetapvs(c, ply + 1, depth - 1, -alpha - 1, -alpha)
            if val > alpha and val < beta:
                val = -alphabetapvs(c, ply + 1, depth - 1, -beta, -alpha)
        else:
            val = -alphabetapvs(c, ply + 1, depth - 1, -beta, -alpha)
        if val >= beta:
            return beta
        if val > alpha:
            alpha = val
            pvfound = True
    return alpha
