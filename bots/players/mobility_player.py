"""The move that leaves the opponent the fewest moves: one idea and no search."""

from __future__ import annotations

import random

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.players.lazy_rules import position_of


class MobilityPlayer:
    """Of equal moves one at random, by the request's seed."""

    def new_match(self, match: MatchInfo) -> None:
        """Nothing is remembered."""

    def choose(self, request: MoveRequest) -> MoveReply:
        """One of the moves after which the fewest are legal."""
        position = position_of(request.game, request.history_position, request.history_moves)
        replies = {move: len(position.play(move).legal_moves()) for move in position.legal_moves()}
        fewest = min(replies.values())
        return MoveReply(move=random.Random(request.seed).choice([move for move, n in replies.items() if n == fewest]))

    def stop(self) -> None:
        """Nothing to do: it answers at once."""
