"""000, "The MiniMax Algorithm": one function for blue, one for red, both from blue's view.

Value: exact, for blue.  Depth: counts up until depth > MaxDepth, one ply more than 001 and 003 mean by that number.
Ends: GameOver is tested.  A move is best when x > max; where won is worth infinity, a lost position has no best move.
Deviation: MaxDepth is an argument instead of a constant.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY, Node


def BlueValue(b: Node, depth: int, MaxDepth: int) -> int:
    if b.over or depth > MaxDepth:
        return b.analysis()
    max = -INFINITY
    for m in b.moves():
        c = b.play(m)
        x = RedValue(c, depth + 1, MaxDepth)
        if x > max:
            max = x
    return max


def RedValue(b: Node, depth: int, MaxDepth: int) -> int:
    if b.over or depth > MaxDepth:
        return b.analysis()
    min = INFINITY
    for m in b.moves():
        c = b.play(m)
        x = BlueValue(c, depth + 1, MaxDepth)
        if x < min:
            min = x
    return min
