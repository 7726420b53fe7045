"""004, "Minimax Algorithm": the best result with all the moves that reach it.

Value: exact, for Max, and the corresponding moves.  Depth: none, it goes to final states.  Ends: tested.
Deviation: `turn` is read off the state.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def Minimax(state: Node) -> tuple[int, list[str]]:
    if state.over:
        return state.analysis(), []
    results = {move: Minimax(state.play(move))[0] for move in state.moves()}
    if state.seat == 0:
        best = max(results.values())
    else:
        best = min(results.values())
    return best, [move for move, result in results.items() if result == best]
