"""The playing engine: one search for all games, specialised by the type of the game's evaluator at compile time.

Read in this order: `options.py` (every feature by its switch), `search.py` (a node), `quiescence.py` (a leaf),
`order.py`, `pruning.py`, `correction.py`, `table.py` (what these ask), `sharing.py` and `news.py` (several threads),
`memory.py` (the records they write); then the Python side: `hand.py` (one thread: iterations, windows), `relay.py`,
`engine.py`, `patience.py` (when to stop).
docs/explanation/search.md walks through it.
"""
