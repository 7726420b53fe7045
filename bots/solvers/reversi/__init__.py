"""The exact solver of the last squares of reversi.

Read in this order: `flips.py` (what turns over), `stable_discs.py`, `parity.py`, `last_empties.py` (up to three empty
squares), `move_order.py`, `table.py`, `endgame.py` (all other positions), `solver.py` (the Python side).
docs/explanation/reversi.md walks through it.
"""
