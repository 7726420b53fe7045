"""000's negamax alpha-beta with the weaker test that the text warns of: it cuts at alpha > beta.

Value: for `color`, fail-soft, as in negamax_alphabeta.py: the same numbers, from more nodes.
Depth: counts up until depth > MaxDepth.  Ends: tested.
Deviation: the sign of one comparison, on purpose: equal bounds do not cut; MaxDepth is an argument.
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
        if alpha > beta:
            return alpha
    return max
