"""Standings: ratings per game over all rated games, how games ended, and how any two bots compare.

    table = await read_standings(store, "some game")          # once, as the command line does
    book = StandingsCache(store); table = await book.standings(game)  # on a server: reads only what is new

tally (what is counted of the stored results), shapes (what is shown), rows (from one to the other), book (kept up to
date). Ratings that an operator fixes: server/standings/anchors.py.
"""

from tabiya.server.standings.anchors import AnchorError, read_anchors
from tabiya.server.standings.cache import StandingsCache, read_standings
from tabiya.server.standings.counters import Player, View
from tabiya.server.standings.models import HeadToHead, Standings, StandingsRow, Superiority

__all__ = [
    "AnchorError",
    "HeadToHead",
    "Player",
    "Standings",
    "StandingsCache",
    "StandingsRow",
    "Superiority",
    "View",
    "read_anchors",
    "read_standings",
]
