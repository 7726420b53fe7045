"""000, "The Game Tree": the first algorithm that comes to mind, the move with the highest analysis value.

Value: what A says of the position after that move, for blue.  Depth: one ply, no reply is looked at: the queen
takes the defended pawn.  Ends: A is exact there.
Deviation: the text has words only; the name Greedy is ours.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY, Node

sign = (1, -1)  # 0 is blue, 1 is red


def A(p: Node) -> int:
    return p.analysis()


def Greedy(b: Node) -> int:
    max = -INFINITY
    for m in b.moves():
        c = b.play(m)
        x = sign[b.seat] * A(c)
        if x > max:
            max = x
    return sign[b.seat] * max
