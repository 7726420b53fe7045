"""Any legal move, each as likely as the others."""

from __future__ import annotations

import random

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.players.lazy_rules import position_of


class RandomPlayer:
    """The weakest opponent there is; its luck comes from the request's seed."""

    def new_match(self, match: MatchInfo) -> None:
        """Nothing is remembered."""

    def choose(self, request: MoveRequest) -> MoveReply:
        """A legal move by lot."""
        legal = request.legal_moves or _legal_moves(request)
        return MoveReply(move=random.Random(request.seed).choice(legal))

    def stop(self) -> None:
        """It never takes long."""


def _legal_moves(request: MoveRequest) -> tuple[str, ...]:
    return position_of(request.game, request.history_position, request.history_moves).legal_moves()
