"""Turns of chess that players get wrong, as positions; one of each must be among the first a new program is shown."""

from __future__ import annotations

from tabiya.games.contract import EdgeCase

EDGE_CASES = (
    EdgeCase("Black is the first to move", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
    EdgeCase("White may castle on both sides", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 20"),
    EdgeCase("Black may castle on both sides", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 20"),
    EdgeCase("all castling rights are gone", "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 20"),
    EdgeCase("an en-passant capture is possible", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"),
    EdgeCase("the en-passant capture is the only legal move", "8/8/8/Pp6/K3k3/1r6/8/2n5 w - b6 0 40"),
    EdgeCase("only promotions are legal, White to move", "8/1P6/8/8/3b4/7k/8/7K w - - 0 70"),
    EdgeCase("only promotions are legal, Black to move", "7k/8/7K/3B4/8/8/1p6/8 b - - 0 70"),
    EdgeCase("the king is in check and one move is legal", "8/8/8/8/8/5k2/8/q5K1 w - - 0 80"),
    EdgeCase("the next quiet move draws by the fifty-move rule", "8/8/8/4k3/8/4K3/4R3/8 w - - 99 120"),
    EdgeCase("218 moves are legal", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"),
)
