"""The playing engine: one search for all games, specialised by the type of the game's evaluator at compile time.

Read in this order: `options.py` (every feature by its switch), `search.py` (a node), `quiescence.py` (a leaf),
`move_order.py`, `pruning.py`, `correction_history.py`, `transposition_table.py` (what these ask), `abdada.py` and
`pv_sharing.py` (several threads), `state.py` (the records they write); then the Python side: `search_thread.py` (one
thread: iterations, windows), `depth_sync.py`, `engine.py`, `time_scaling.py` (when to stop).
docs/explanation/search.md walks through it.
"""
