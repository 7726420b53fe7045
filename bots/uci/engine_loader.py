"""Rules and engine, loaded in a thread of their own while the conversation goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tabiya.bots.gc_tuning import freeze_heap

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Evaluator
    from tabiya.games.contract import Game

EvaluatorOf = Callable[["Game"], "Evaluator"]


class LoadedEngine(NamedTuple):
    """A game's rules, and what else is known of it."""

    game: Game
    evaluator: Evaluator


class ConversationEnded(Exception):
    """The input has ended; what is waited for will not come."""


class EngineLoader:
    """Compiles, or loads from the cache, all that a search calls: seconds the first time, else a part of one."""

    def __init__(self, game: str, evaluator_of: EvaluatorOf | None = None) -> None:
        """game: its registered name.  evaluator_of: makes what is played with, the game's own without."""
        self._name, self._evaluator_of = game, evaluator_of
        self._loaded: LoadedEngine | None = None
        self._error: Exception | None = None
        self._has_begun = self._is_ended = False
        self._changed = threading.Condition()

    def begin(self) -> None:
        """Begin, if it has not begun; returns at once. The thread is none that the end of the process waits for."""
        with self._changed:
            begins, self._has_begun = not self._has_begun, True
        if begins:
            threading.Thread(target=self._run, name="loading", daemon=True).start()

    def end(self) -> None:
        """Make every present and later `wait` raise ConversationEnded, unless loading is complete."""
        with self._changed:
            self._is_ended = True
            self._changed.notify_all()

    def wait(self) -> LoadedEngine:
        """What was loaded, once everything is there. Raises Ended, and whatever went wrong."""
        self.begin()
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or self._is_ended)
            if self._error is not None:
                raise self._error
            if self._loaded is None:
                raise ConversationEnded
            return self._loaded

    @property
    def runs(self) -> bool:
        """Whether it has begun and is not over."""
        with self._changed:
            return self._has_begun and not self._is_over

    @property
    def _is_over(self) -> bool:
        return self._loaded is not None or self._error is not None

    def _run(self) -> None:
        loaded, error = None, None
        try:
            loaded = _load(self._name, self._evaluator_of)
        except Exception as raised:
            error = raised
        with self._changed:
            self._loaded, self._error = loaded, error
            self._changed.notify_all()


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
