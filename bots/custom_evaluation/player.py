"""A player with somebody's own evaluation: the playing engine, compiled for it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from numba.core.errors import NumbaWarning

from tabiya.bots.custom_evaluation.bounds_check import beyond_the_end
from tabiya.bots.custom_evaluation.compile import Own
from tabiya.bots.custom_evaluation.compile_errors import cause_of, is_raised
from tabiya.bots.custom_evaluation.loader import PREFIX
from tabiya.bots.custom_evaluation.python_callback import ASKABLE
from tabiya.bots.engine.engine import TABLE_MB, Engine
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.players.search_player import EnginePlayer
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.contract import Game
from tabiya.games.registry import load_game


def read_own(module: ModuleType, evaluator_class: type[Evaluator]) -> Own:
    """The author's class of a module that `loading.load` has loaded."""
    return Own(evaluator_class, module.__name__.removeprefix(PREFIX))


def say(text: str) -> None:
    """To the author."""
    sys.stderr.write(f"tabiya: {text}\n")
    sys.stderr.flush()


class OwnPlayer(EnginePlayer):
    """Compiles at the first match of a game; what does not compile is asked in Python, and the author is told why."""

    def __init__(
        self,
        own: Own,
        depth: int | None = None,
        time_s: float | None = None,
        *,
        table_mb: float = TABLE_MB,
        threads: int = 1,
        values: Mapping[str, Any] | None = None,
        tell: Callable[[str], None] = say,
    ) -> None:
        """values: of parameters, where not the defaults.  tell: is told what does not compile, a sentence each."""
        super().__init__(
            depth,
            time_s,
            table_mb=table_mb,
            threads=threads,
            evaluator_of=lambda game: own.in_engine(own.evaluator_of(game, values), game),
        )
        self._own, self._tell = own, tell

    def new_match(self, match: MatchInfo) -> None:
        """Get ready. Raises PlayerError for a game that is not the class's, and for code that cannot be used."""
        if match.game not in self._own.games:
            raise PlayerError(f"{self._own.author.__name__} plays {', '.join(self._own.games)}, not {match.game}")
        make_ready(self._own, match.game, self._tell)
        super().new_match(match)

    def choose(self, request: MoveRequest) -> MoveReply:
        """The move the search finds. Raises what the author's methods have raised."""
        thought = super().choose(request)
        self._own.check()
        return thought


def make_ready(own: Own, game: str, tell: Callable[[str], None]) -> None:
    """Compile the author's class for a game, its methods asked in Python where they must be. Raises PlayerError."""
    rules, who = load_game(game), own.author.__name__
    if (beyond := beyond_the_end(own, rules)) is not None:
        raise PlayerError(f"{who} cannot play: {cause_of(beyond)}") from beyond
    trouble = _trouble(own, rules)
    while trouble is not None:
        suspect, why, error = trouble
        asks = sorted(own.overridden & ASKABLE.keys() - own.asked, key=lambda name: name != suspect)
        for name in asks:
            own.ask(name)
            left = _trouble(own, rules)
            if left is None or (left.suspect, left.why) != (suspect, why):
                break
            own.ask_no_more(name)  # which is not to blame
        else:
            raise PlayerError(f"{who} cannot play: {why}") from error
        what = "fails when it is compiled" if is_raised(error) else "cannot be compiled"
        tell(f"{who}.{name} {what} and is called in Python, which is much slower: {why}")
        trouble = left


class Trouble(NamedTuple):
    """What goes wrong with a class. suspect: the method that may be to blame.  why: what the author is told."""

    suspect: str
    why: str
    error: Exception


def _trouble(own: Own, game: Game) -> Trouble | None:
    """What goes wrong when the class is compiled and asked about the start of a game; None if nothing does."""
    start, suspect = game.start(), "evaluate"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)  # that code with a pointer in it is not kept
            evaluator = own.evaluator_of(game)
            evaluation_of(evaluator, start.state)
            own.check()
            suspect = "priority"
            Engine(own.in_engine(evaluator, game), table_mb=1).warm(start)
            own.check()
    except Exception as error:  # whatever the compiler stumbles over
        return Trouble(suspect, cause_of(error), error)
    return None
