"""001, "Principal Variation search".

Value: for the side to move, fail-hard; whole numbers are assumed, for nothing may lie between alpha and alpha + 1.
Depth: counts down to 0.  Ends: never tested.  Once a move has raised alpha (pvfound), the others get a null window;
one that comes back inside the true window is searched again with all of it.
Deviation: the board is an argument, not a global, so there is no unmakeMove.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def alphabetapvs(b: Node, ply: int, depth: int, alpha: int, beta: int) -> int:
    pvfound = False
    if depth == 0:
        return b.eval()
    for m in b.moves():
        c = b.play(m)
        if pvfound:
            val = -alphabetapvs(c, ply + 1, depth - 1, -alpha - 1, -alpha)
            if val > alpha and val < beta:  # it was no proof: once more, as plain alpha-beta would
                val = -alphabetapvs(c, ply + 1, depth - 1, -beta, -alpha)
        else:
            val = -alphabetapvs(c, ply + 1, depth - 1, -beta, -alpha)
        if val >= beta:
            return beta
        if val > alpha:
            alpha = val
            pvfound = True
    return alpha
