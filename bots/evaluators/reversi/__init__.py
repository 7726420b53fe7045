"""What a reversi position is worth to the engine: `evaluator.py` first, then `pattern_shapes.py`, `patterns.py`.

The exact solver of the last squares is in bots/solvers/reversi. docs/explanation/reversi.md walks through both.
"""
