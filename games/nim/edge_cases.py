"""Turns of Nim that players get wrong, as positions."""

from __future__ import annotations

from tabiya.games.contract import EdgeCase
from tabiya.games.nim.text import LARGEST_HEAP, MOST_HEAPS

EDGE_CASES = (
    EdgeCase("the second player is the first to move", "3,5,7 normal 2"),
    EdgeCase("who takes the last object loses", "1,1,2 misere 1"),
    EdgeCase("heaps between others are empty", "0,4,0,3 normal 1"),
    EdgeCase("one move is legal", "0,0,1 normal 2"),
    EdgeCase("one move is legal, and it loses", "0,1,0 misere 1"),
    EdgeCase(
        "there are as many heaps as there may be",
        ",".join(["0"] * (MOST_HEAPS - 1) + [str(LARGEST_HEAP)]) + " normal 1",
    ),
)
