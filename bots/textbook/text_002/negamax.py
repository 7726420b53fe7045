"""002, "Mathematical framework": the value of a position by recursion over its whole tree.

Value: exact, v(P) for the side to move.  Depth: none, it goes to the terminal positions.  Ends: tested.
Deviation: none.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY as infinity
from tabiya.bots.textbook.node import Node


def negamax(P: Node) -> int:
    if P.over:
        return P.eval()
    m = -infinity
    for move in P.moves():
        m = max(m, -negamax(P.play(move)))
    return m
