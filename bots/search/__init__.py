"""The search: one source for all games, specialised by the type of the game's player at compile time.

`engine.py` is the Python side (`Searcher`); everything else here runs compiled.
"""
