"""Ratings and tests of strength, pure: games in, numbers out.

elo (the scale), pairs (what the games between two players say), sprt (stop as soon as it is decided), fit (all players
at once).
"""
