"""The name that `tabiya.evaluators` had in version 0.1: `from tabiya.brains import brain` goes on working."""

from tabiya.evaluators import ONE, ZERO, U, evaluation, evaluator, lsb, msb, popcount, squares

__all__ = ["ONE", "ZERO", "U", "brain", "evaluation", "lsb", "msb", "popcount", "squares"]

brain = evaluator
