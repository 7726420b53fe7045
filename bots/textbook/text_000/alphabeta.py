"""000, "Alpha-Beta Pruning", first form: minimax with two bounds.

Value: for blue, fail-soft: outside the window it is the best that was seen, a bound on the exact value.
Depth: counts up until depth > MaxDepth.  Ends: tested.  Cuts at alpha >= beta.
Deviation: MaxDepth is an argument instead of a constant.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY, Node


def BlueValue(b: Node, depth: int, alpha: int, beta: int, MaxDepth: int) -> int:
    if b.over or depth > MaxDepth:
        return b.analysis()
    max = -INFINITY
    for m in b.moves():
        c = b.play(m)
        x = RedValue(c, depth + 1, alpha, beta, MaxDepth)
        if x > max:
            max = x
        if x > alpha:
            alpha = x
        if alpha >= beta:
            return alpha
    return max


def RedValue(b: Node, depth: int, alpha: int, beta: int, MaxDepth: int) -> int:
    if b.over or depth > MaxDepth:
        return b.analysis()
    min = INFINITY
    for m in b.moves():
        c = b.play(m)
        x = BlueValue(c, depth + 1, alpha, beta, MaxDepth)
        if x < min:
            min = x
        if x < beta:
            beta = x
        if alpha >= beta:
            return beta
    return min
