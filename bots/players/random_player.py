"""Any legal move, each as likely as the others."""

from __future__ import annotations

import random

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.players.lazy_rules import legal_moves_of


class RandomPlayer:
    """The weakest opponent there is; its luck comes from the request's seed."""

    def new_match(self, match: MatchInfo) -> None:
        """Nothing is remembered."""

    def choose(self, request: MoveRequest) -> MoveReply:
        """A legal move at random."""
        return MoveReply(move=random.Random(request.seed).choice(legal_moves_of(request)))

    def stop(self) -> None:
        """Nothing to do: it answers at once."""
