"""004, "Modified Minimax Algorithm": a limit on the lookahead, static evaluation beyond it.

Value: exact, for Max, and the corresponding moves.  Depth: counts down to 0.  Ends: as printed only the limit is
tested; without a move there is no best result, so a final state is evaluated too.
Deviation: that test of the end; `turn` is read off the state.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def Minimax(state: Node, lookahead: int) -> tuple[int, list[str]]:
    if lookahead == 0 or state.over:
        return state.analysis(), []
    results = {move: Minimax(state.play(move), lookahead - 1)[0] for move in state.moves()}
    if state.seat == 0:
        best = max(results.values())
    else:
        best = min(results.values())
    return best, [move for move, result in results.items() if result == best]
