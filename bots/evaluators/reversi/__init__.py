"""What plays reversi well: an evaluation for the engine and an exact solver of the last squares.

The evaluation: `evaluator.py` (what the engine asks), `shapes.py`, `patterns.py`, `weights.py`.
Read the solver in this order: `lines.py` (what turns over), `stable.py`, `last.py` (up to three empty squares),
`endgame.py` (all others), `solver.py` (the Python side). docs/explanation/reversi.md walks through it.
"""
