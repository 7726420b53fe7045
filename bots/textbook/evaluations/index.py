"""The evaluations that the textbooks name, by name; loads no compiler before one is asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, NamedTuple

from tabiya.bots.players.catalogue import evaluator_for

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Evaluator
    from tabiya.games.rules import Rules


class Evaluation(NamedTuple):
    """games: that it is for.  evaluator: module and class.  about: a few words."""

    games: tuple[str, ...]
    evaluator: str
    about: str


EVALUATIONS: dict[str, Evaluation] = {
    "material": Evaluation(
        ("chess",), "tabiya.bots.textbook.evaluations.chess:MaterialEvaluator", "000: the sum of the piece values"
    ),
    "fours": Evaluation(
        ("connect5", "tictactoe"),
        "tabiya.bots.textbook.evaluations.mnk:CountingEvaluator",
        "004: fours, threes and twos",
    ),
    "fours-narrow": Evaluation(
        ("connect5", "tictactoe"),
        "tabiya.bots.textbook.evaluations.mnk:NarrowEvaluator",
        "004: the same, near means touching a stone",
    ),
}


DEFAULTS = {
    "chess": "tabiya.bots.textbook.evaluations.chess:BookEvaluator"
}  # where the books' forms do not use the players' evaluation


def evaluations(game: str) -> tuple[str, ...]:
    """The names of the evaluations there are for a game besides the usual one."""
    return tuple(name for name, evaluation in EVALUATIONS.items() if game in evaluation.games)


def book_evaluator(game: Rules, evaluation: str = "") -> Evaluator:
    """The evaluator of the books' forms: the usual one, or one with the named evaluation.

    The usual one is the players' own, or where DEFAULTS names one an evaluation that stays as it is while the players'
    grows.  Raises ValueError if the named evaluation is not for this game.
    """
    if not evaluation:
        return _evaluator(game, DEFAULTS[game.name]) if game.name in DEFAULTS else evaluator_for(game)
    if evaluation not in evaluations(game.name):
        there_are = ", ".join(evaluations(game.name)) or "none but its own"
        raise ValueError(f"{game.title} has no evaluation {evaluation!r} (there are: {there_are})")
    return _evaluator(game, EVALUATIONS[evaluation].evaluator)


def _evaluator(game: Rules, place: str) -> Evaluator:
    from tabiya.bots.evaluators.base import bound

    module, _, name = place.partition(":")
    evaluator_class: type[Evaluator] = getattr(importlib.import_module(module), name)
    return bound(evaluator_class, game)
