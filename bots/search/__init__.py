"""What every search shares (values, limits, clock, the path), and minimax and alpha-beta, plain.

`searcher.py` is the Python side of the two. The engine that plays is bots/engine/.
"""
