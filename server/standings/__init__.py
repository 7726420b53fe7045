"""Standings: ratings per game over all rated games, how games ended, and how any two bots compare.

    table = await read_standings(store, "some game")          # once, as the command line does
    cache = StandingsCache(store); table = await cache.standings(game)  # on a server: reads only what is new

counters (results counted one by one), compute (fit and rows), models (what is shown), cache (kept up to date).
"""

from tabiya.server.standings.cache import StandingsCache, read_standings
from tabiya.server.standings.counters import ALL_VERSIONS, Player, View
from tabiya.server.standings.models import HeadToHead, Standings, StandingsRow, Superiority

__all__ = [
    "ALL_VERSIONS",
    "HeadToHead",
    "Player",
    "Standings",
    "StandingsCache",
    "StandingsRow",
    "Superiority",
    "View",
    "read_standings",
]
