"""000, "The NegaMax Algorithm": one function, every node from the view of its own side to move.

Value: exact, for `color`, which must be the side to move.  Depth: counts up until depth > MaxDepth.  Ends: tested.
Two minus signs carry it: before the call, and sign[color] at the leaves.
Deviation: MaxDepth is an argument instead of a constant.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY, Node

sign = (1, -1)  # 0 is blue, 1 is red


def NegaMax(b: Node, depth: int, color: int, MaxDepth: int) -> int:
    if b.over or depth > MaxDepth:
        return sign[color] * b.analysis()
    max = -INFINITY
    for m in b.moves():
        c = b.play(m)
        x = -NegaMax(c, depth + 1, 1 - color, MaxDepth)  # note the "-" before "NegaMax"
        if x > max:
            max = x
    return max
