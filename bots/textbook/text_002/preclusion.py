"""002, "Preclusion": a won position needs no second winning move.

Value: exact, v(P) for the side to move, if all values are -1, 0 or 1.  Depth: none.  Ends: tested.
Stops at the first move of value 1.  Deviation: none.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def negamax(P: Node) -> int:
    if P.over:
        return P.eval()
    m = -1
    for move in P.moves():
        m = max(m, -negamax(P.play(move)))
        if m == 1:
            return 1
    return m
