"""000, "Alpha-Beta Pruning", second form: negamax with two bounds, which swap and change sign on the way down.

Value: for `color`, which must be the side to move; fail-soft.  Depth: counts up until depth > MaxDepth.  Ends: tested.
Cuts at alpha >= beta.  Deviation: MaxDepth is an argument instead of a constant.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY, Node

sign = (1, -1)  # 0 is blue, 1 is red


def NegaMax(b: Node, depth: int, color: int, alpha: int, beta: int, MaxDepth: int) -> int:
    if b.over or depth > MaxDepth:
        return sign[color] * b.analysis()
    max = -INFINITY
    for m in b.moves():
        c = b.play(m)
        x = -NegaMax(c, depth + 1, 1 - color, -beta, -alpha, MaxDepth)
        if x > max:
            max = x
        if x > alpha:
            alpha = x
        if alpha >= beta:
            return alpha
    return max
