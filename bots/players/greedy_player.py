"""The best position after its own move: an evaluation without any search."""

from __future__ import annotations

from bots.players.search_player import PlainPlayer
from bots.search.searcher import Search


def greedy_player() -> PlainPlayer:
    """One ply deep, equal moves by lot: it takes what it can get and does not see the reply."""
    return PlainPlayer(Search.MINIMAX, depth=1)
