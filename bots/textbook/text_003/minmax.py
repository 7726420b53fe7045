"""003, "How min-max works": MinMax hands over to Max for White and to Min for Black.

Value: exact, from White's view.  Depth: counts down to 0, MinMax(5) looks five plies ahead.  Ends: not tested above
depth 0, so a side without a move has lost; Evaluate is exact at ends of games before it is a guess.
Deviation: the board is an argument, not a global, so there is no UnmakeMove.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY, Node

WHITE = 0


def MinMax(b: Node, depth: int) -> int:
    if b.seat == WHITE:  # White is the "maximizing" player
        return Max(b, depth)
    return Min(b, depth)


def Max(b: Node, depth: int) -> int:
    best = -INFINITY
    if depth <= 0:
        return b.analysis()
    for m in b.moves():
        val = Min(b.play(m), depth - 1)
        if val > best:
            best = val
    return best


def Min(b: Node, depth: int) -> int:
    best = INFINITY  # different from Max
    if depth <= 0:
        return b.analysis()
    for m in b.moves():
        val = Max(b.play(m), depth - 1)
        if val < best:  # different from Max
            best = val
    return best
