"""Some legal move, at once, when there is no time left for anybody to think."""

from __future__ import annotations

from random import Random

from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.bots.players.lazy_rules import position_of


def emergency_move(request: MoveRequest, why: str) -> MoveReply:
    """A legal move by lot, the same for the same request; from the rules when the server has not listed any.

    Raises NeedsEngine when there is neither a list nor the rules.
    """
    legal = request.legal_moves
    if legal is None:
        legal = position_of(request.game, request.history_position, request.history_moves).legal_moves()
    random = Random(f"{request.seed} {request.match} {request.ply}")
    return MoveReply(move=random.choice(legal), text=why[:200])
