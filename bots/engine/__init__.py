"""The playing engine: one search for all games, specialised by the type of the game's brain at compile time.

Read in this order: `options.py` (every feature by its switch), `search.py` (a node), `quiescence.py` (a leaf),
`pruning.py`, `order.py`, `table.py` (what these two ask), `root.py` (one iteration), `engine.py` (the Python side).
docs/explanation/search.md walks through it.
"""
