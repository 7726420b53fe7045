"""The player with a user-defined evaluation: the playing engine, compiled for it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from numba.core.errors import NumbaWarning

from tabiya.bots.custom_evaluation.bounds_check import index_error_in
from tabiya.bots.custom_evaluation.compile import CustomEvaluator
from tabiya.bots.custom_evaluation.compile_errors import explain, is_raised_by_author
from tabiya.bots.custom_evaluation.loader import PREFIX
from tabiya.bots.custom_evaluation.python_callback import CALLBACK_METHODS
from tabiya.bots.engine.engine import TABLE_MB, Engine
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.players.search_player import EnginePlayer
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.contract import Game
from tabiya.games.registry import load_game


def read_custom_evaluator(module: ModuleType, evaluator_class: type[Evaluator]) -> CustomEvaluator:
    """The author's class of a module that `loading.load` has loaded."""
    return CustomEvaluator(evaluator_class, module.__name__.removeprefix(PREFIX))


def print_to_stderr(text: str) -> None:
    """To the author."""
    sys.stderr.write(f"tabiya: {text}\n")
    sys.stderr.flush()


class CustomEvaluatorPlayer(EnginePlayer):
    """Compiles at the first match of a game; what does not compile is asked in Python, and the author is told why."""

    def __init__(
        self,
        custom: CustomEvaluator,
        depth: int | None = None,
        time_s: float | None = None,
        nodes: int | None = None,
        *,
        table_mb: float = TABLE_MB,
        threads: int = 1,
        values: Mapping[str, Any] | None = None,
        report: Callable[[str], None] = print_to_stderr,
    ) -> None:
        """values: of parameters, else the defaults.  report: called with a sentence for what does not compile."""
        super().__init__(
            depth,
            time_s,
            nodes,
            table_mb=table_mb,
            threads=threads,
            evaluator_of=lambda game: custom.for_engine(custom.evaluator_of(game, values), game),
        )
        self._custom, self._report = custom, report

    def new_match(self, match: MatchInfo) -> None:
        """Get ready. Raises PlayerError for a game that is not the class's, and for code that cannot be used."""
        if match.game not in self._custom.games:
            raise PlayerError(f"{self._custom.name} plays {', '.join(self._custom.games)}, not {match.game}")
        compile_for(self._custom, match.game, self._report)
        super().new_match(match)

    def choose(self, request: MoveRequest) -> MoveReply:
        """The move the search finds. Raises what the author's methods have raised."""
        thought = super().choose(request)
        self._custom.raise_callback_error()
        return thought


def compile_for(custom: CustomEvaluator, game: str, report: Callable[[str], None]) -> None:
    """Compile the author's class for a game, its methods asked in Python where they must be. Raises PlayerError."""
    rules, who = load_game(game), custom.name
    if (beyond := index_error_in(custom, rules)) is not None:
        raise PlayerError(f"{who} cannot play: {explain(beyond)}") from beyond
    failure = _try_to_compile(custom, rules)
    while failure is not None:
        suspect, why, error = failure
        asks = sorted(custom.overridden & CALLBACK_METHODS.keys() - custom.in_python, key=lambda name: name != suspect)
        for name in asks:
            custom.call_in_python(name)
            left = _try_to_compile(custom, rules)
            if left is None or (left.suspect, left.why) != (suspect, why):
                break
            custom.compile_again(name)  # which is not to blame
        else:
            raise PlayerError(f"{who} cannot play: {why}") from error
        what = "fails when it is compiled" if is_raised_by_author(error) else "cannot be compiled"
        report(f"{who}.{name} {what} and is called in Python, which is much slower: {why}")
        failure = left


class CompileFailure(NamedTuple):
    """What goes wrong with a class. suspect: the method that may be to blame.  why: what the author is told."""

    suspect: str
    why: str
    error: Exception


def _try_to_compile(custom: CustomEvaluator, game: Game) -> CompileFailure | None:
    """What goes wrong when the class is compiled and asked about the start of a game; None if nothing does."""
    start, suspect = game.start(), "evaluate"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)  # that code with a pointer in it is not kept
            evaluator = custom.evaluator_of(game)
            evaluation_of(evaluator, start.state)
            custom.raise_callback_error()
            suspect = "priority"
            Engine(custom.for_engine(evaluator, game), table_mb=1).warm(start)
            custom.raise_callback_error()
    except Exception as error:  # whatever the compiler stumbles over
        return CompileFailure(suspect, explain(error), error)
    return None
