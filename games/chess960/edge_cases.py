"""Turns of Chess960 that players get wrong, as positions: a new program is shown each of them."""

from __future__ import annotations

from tabiya.games.contract import EdgeCase

EDGE_CASES = (
    EdgeCase("castling leaves the king where it stands", "1r4k1/8/8/8/8/8/8/6KR w K - 0 20"),
    EdgeCase("castling leaves the rook where it stands", "r4rk1/8/8/8/8/8/8/3RK3 w Q - 0 20"),
    EdgeCase("castling is the only legal move", "1k2r3/8/8/8/8/6p1/6P1/5KRB w K - 0 20"),
    EdgeCase("king and rook change places in castling", "1r3kr1/8/8/8/8/8/8/K7 b k - 0 20"),
    EdgeCase("the rook that may castle is not the outermost", "4k3/8/8/8/8/8/8/RR2K3 w B - 0 20"),
    EdgeCase("castling would open the rank to the queen behind the rook", "rr1k4/8/8/8/8/8/8/qRK5 w Q - 0 20"),
)
