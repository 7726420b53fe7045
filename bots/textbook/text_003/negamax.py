"""003, "The nega-max function".

Value: exact, for the side to move.  Depth: counts down to 0.  Ends: not tested above depth 0, so a side without a
move has lost; Evaluate is exact at ends of games before it is a guess.
Deviation: the board is an argument, not a global, so there is no UnmakeMove.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY, Node


def NegaMax(b: Node, depth: int) -> int:
    best = -INFINITY
    if depth <= 0:
        return b.eval()
    for m in b.moves():
        val = -NegaMax(b.play(m), depth - 1)  # note the minus sign here
        if val > best:
            best = val
    return best
