"""002, "The Minimax formulation": the same from the view of Max, in two functions.

Value: exact, v'(P) for Max.  Depth: none, it goes to the terminal positions.  Ends: tested.
Deviation: none.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY as infinity
from tabiya.bots.textbook.node import Node


def Max(P: Node) -> int:
    if P.over:
        return P.analysis()
    m = -infinity
    for move in P.moves():
        m = max(m, Min(P.play(move)))
    return m


def Min(P: Node) -> int:
    if P.over:
        return P.analysis()
    m = infinity
    for move in P.moves():
        m = min(m, Max(P.play(move)))
    return m
