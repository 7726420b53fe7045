"""What the search needs to play Nim: nothing but the rules.

It sees as far as it searches and knows nothing beyond. The rule that plays perfectly is bots/players/perfect_nim.py.
"""

from __future__ import annotations

from tabiya.bots.evaluators.base import Evaluator
from tabiya.games.nim import Nim


class NimEvaluator(Evaluator, Nim):
    """Every position that goes on is even."""

    width = Nim.max_moves
