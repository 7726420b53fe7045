"""004, the first approach: find the moves of the highest value, without the value of any board.

Value: what the move changes for the mover, as the evaluation counts it, and the corresponding moves.  Depth: one ply.
The value of the board itself is not needed: it is the same for all moves. So a move is judged by what it changes, and
on a large board that is far less than the board.  Deviation: the text has words only; the names are ours.
"""

from __future__ import annotations

from tabiya.bots.textbook.node import Node


def BestMoves(state: Node) -> tuple[int, list[str]]:
    gains = {move: state.gain(move) for move in state.moves()}
    best = max(gains.values())
    return best, [move for move, gain in gains.items() if gain == best]
