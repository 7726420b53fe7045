"""Evaluations by the text that names them on a command line."""

from __future__ import annotations

import importlib
from types import ModuleType

from tabiya.bots.custom_evaluation.evaluation import evaluator_from
from tabiya.bots.evaluators.base import Evaluator, bound
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.contract import Game


def load_evaluator(game: Game, text: str) -> Evaluator:
    """The evaluator that `text` names, the game's own if it is empty. Raises ValueError in one sentence."""
    if not text:
        return evaluator_for(game)
    if ".py:" in text:
        own, evaluator = evaluator_from(text, game.name, _refuse)
        return own.for_engine(evaluator, game)
    place, _, name = text.rpartition(":")
    evaluator_class = getattr(_load_module(place), name, None)
    if not (
        isinstance(evaluator_class, type)
        and issubclass(evaluator_class, Evaluator)
        and issubclass(evaluator_class, type(game))
    ):
        raise ValueError(f"{place} has no class {name!r} that derives from Evaluator and the rules of {game.title}")
    return bound(evaluator_class, game)


def _refuse(sentence: str) -> None:
    raise ValueError(sentence)


def _load_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (ImportError, ValueError) as error:
        raise ValueError(f"{name or 'an empty name'} is no module: {error}") from error
