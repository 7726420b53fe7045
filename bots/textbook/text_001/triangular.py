"""001, "Collecting the principal variation": minimax that keeps the best line in a triangular array.

Value: exact, for the side to move.  Depth: counts down to 0.  Ends: never tested.
The line is triangularArray[0][0:triangularLength[0]]: the text writes [0..triangularLength[0]], but the length is one
past the last move.  Deviation: board and arrays are arguments, not globals.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import INFINITY as LARGE_NUMBER
from tabiya.bots.textbook.node import Node


def minimax(
    b: Node, ply: int, depth: int, triangularArray: dict[int, dict[int, str]], triangularLength: dict[int, int]
) -> int:
    best = -LARGE_NUMBER
    triangularLength[ply] = ply  # the line starts here
    if depth == 0:
        return b.eval()
    for m in b.moves():
        val = -minimax(b.play(m), ply + 1, depth - 1, triangularArray, triangularLength)
        if val > best:
            best = val
            triangularArray[ply][ply] = m  # save this move
            for j in range(ply + 1, triangularLength[ply + 1]):
                triangularArray[ply][j] = triangularArray[ply + 1][j]  # and append the best line from deeper plies
            triangularLength[ply] = triangularLength[ply + 1]
    return best
