"""What the search needs to play Nim: the rules.

A search to a fixed depth knows nothing beyond it; without a fixed depth the playing engine uses the exact rule.
"""

from __future__ import annotations

from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.solvers.base import EndingSolver
from tabiya.bots.solvers.nim import NimSolver
from tabiya.games.nim import Nim


class NimEvaluator(Evaluator, Nim):
    """Every position that goes on is even."""

    width = Nim.max_moves

    def ending_solver(self, table_mb: float) -> EndingSolver:
        """See bots/solvers/nim.py."""
        return NimSolver()
