"""The best position after its own move: an evaluation without any search."""

from __future__ import annotations

from bots.players.search_player import SearchPlayer
from bots.search.engine import Search


def greedy_player() -> SearchPlayer:
    """One ply deep, equal moves by lot: it takes what it can get and does not see the reply."""
    return SearchPlayer(Search.MINIMAX, depth=1, ties=True)
