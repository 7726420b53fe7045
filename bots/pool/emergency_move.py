"""A random legal move, at once, when no time is left to think."""

from __future__ import annotations

from random import Random

from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.bots.players.lazy_rules import legal_moves_of
from tabiya.protocol.messages.parts import NOT_ITS_OWN


def emergency_move(request: MoveRequest, why: str) -> MoveReply:
    """A legal move at random, the same for the same request; from the rules when the server has not listed any.

    Raises NeedsEngine when there is neither a list nor the rules.
    """
    random = Random(f"{request.seed} {request.match} {request.ply}")
    return MoveReply(move=random.choice(legal_moves_of(request)), text=f"{NOT_ITS_OWN}{why[:200]}")
