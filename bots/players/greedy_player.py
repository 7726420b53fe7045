"""The best position after its own move: an evaluation without any search."""

from __future__ import annotations

from tabiya.bots.players.search_player import PlainPlayer
from tabiya.bots.search.searcher import Search


def greedy_player() -> PlainPlayer:
    """One ply deep, equal moves by lot: it takes what it can get and does not see the reply."""
    return PlainPlayer(Search.MINIMAX, depth=1)
