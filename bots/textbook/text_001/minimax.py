"""001, "Minimax": negamax under the name of minimax.

Value: exact, for the side to move.  Depth: counts down to 0.  Ends: never tested, so a side without a move gets
-LARGE_NUMBER: a mate is lost, and a stalemate scores as lost too.
Deviation: the board is an argument, not a global, so there is no unmakeMove.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY as LARGE_NUMBER
from tabiya.bots.textbook.node import Node


def minimax(b: Node, depth: int) -> int:
    if depth == 0:
        return b.eval()
    best = -LARGE_NUMBER
    for m in b.moves():
        val = -minimax(b.play(m), depth - 1)  # note the minus sign to reflect the change in perspective
        if val > best:
            best = val  # both sides want to maximize
    return best
