"""Rules and engine, loaded in a thread of their own while the conversation goes on."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING, Any, NamedTuple

from tabiya.bots.gc_tuning import freeze_heap

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Evaluator
    from tabiya.games.contract import Game

EvaluatorOf = Callable[["Game"], "Evaluator"]


class LoadedEngine(NamedTuple):
    """A game's rules and the evaluator that is played with, both compiled."""

    game: Game
    evaluator: Evaluator


class ConversationEnded(Exception):
    """The input has ended, so waiting is useless."""


class EngineLoader:
    """Compiles, or loads from the cache, all that a search calls: seconds the first time, else a part of one."""

    def __init__(self, game: str, evaluator_of: EvaluatorOf | None = None) -> None:
        """game: its registered name.  evaluator_of: makes what is played with, the game's own without."""
        self._name, self._evaluator_of = game, evaluator_of
        self._loaded = Future[LoadedEngine]()
        self._begun = threading.Lock()  # taken by the first `begin`, and kept
        self.runs = False
        """Whether it has begun and is not over; also after `end`."""

    def begin(self) -> None:
        """Begin, if it has not begun; returns at once."""
        if self._begun.acquire(blocking=False):
            self.runs = True
            # a daemon: the end of the process does not wait for it
            threading.Thread(target=self._run, name="loading", daemon=True).start()

    def end(self) -> None:
        """Make every present and later `wait` raise ConversationEnded, unless loading is complete."""
        self._resolve(self._loaded.set_exception, ConversationEnded())

    def wait(self) -> LoadedEngine:
        """What was loaded, once everything is there. Raises ConversationEnded, and whatever went wrong."""
        self.begin()
        return self._loaded.result()

    def _run(self) -> None:
        resolve: Callable[[Any], None] = self._loaded.set_result
        try:
            found: LoadedEngine | Exception = _load(self._name, self._evaluator_of)
        except Exception as error:
            resolve, found = self._loaded.set_exception, error
        self.runs = False
        self._resolve(resolve, found)

    @staticmethod
    def _resolve(setter: Callable[[Any], None], value: Any) -> None:
        with contextlib.suppress(InvalidStateError):  # loaded and ended at the same time: the first counts
            setter(value)


def _load(name: str, evaluator_of: EvaluatorOf | None) -> LoadedEngine:
    """All of it, so that nothing is compiled once a search's clock runs."""
    from tabiya.bots.players import search_player  # noqa: F401 (what is imported later takes its time then)
    from tabiya.bots.players.catalogue import evaluator_for
    from tabiya.bots.solvers.solving_engine import SolvingEngine
    from tabiya.bots.uci import running_search  # noqa: F401
    from tabiya.games.registry import load_game
    from tabiya.games.warm import warm

    game = load_game(name)
    warm(game)
    evaluator = (evaluator_of or evaluator_for)(game)
    engine = SolvingEngine(evaluator, table_mb=1)
    engine.warm(game.start())
    engine.search(game.start(), None, solves=False, depth=1, lines=2)
    engine.ended_value(game.start())
    freeze_heap()
    return LoadedEngine(game, evaluator)
