"""Seasons of a game: some weeks in which the bots of a division play for promotion.

divisions.py  who plays in which division: a pure rule      seasons.py  the seasons of a server and their tables
"""
