"""The conversation: one line in, any number of lines out. No line of any kind ends it but `quit`."""

from __future__ import annotations

import contextlib
import queue
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tabiya.bots.players.lazy_rules import position_of
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.uci.engine_loader import Ended, Loading
from tabiya.bots.uci.options import CLEAR, COMMON, HASH, LINES, OVERHEAD, THREADS, Option, Settings
from tabiya.bots.uci.parse import QUIT, Go, read_go, read_option, read_order, read_place
from tabiya.bots.uci.strength import Levels
from tabiya.games.errors import GameError

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Evaluator
    from tabiya.bots.solvers.solving_engine import SolvingEngine
    from tabiya.bots.uci.custom_evaluation import OwnEvaluation
    from tabiya.bots.uci.search_task import Say, Task, Thinking
    from tabiya.games.contract import Game
    from tabiya.games.position import Position

LONGEST_ECHO = 80
READ_AHEAD = 1_000  # lines
LITTLE_MB = 16


class UciProgram:
    """Our engine on one game. Lines are heard by one thread; `say` is called by the search's thread too.

    To be made, and to say who it is, it needs no rules and no compiler: these are loaded behind `uciok`, and orders
    that need them wait.
    """

    def __init__(self, game: str, name: str, say: Say, own: OwnEvaluation | None = None) -> None:
        """game: its registered name.  name: of the program.  say: writes one line at once; called by two threads.

        own: what to play with in place of the game's own evaluation; then there are no levels.
        """
        self._name, self._say, self._own = name, say, own
        self._loading = Loading(game, None if own is None else self._own_evaluator)
        self._levels = Levels(game)
        self._settings = Settings((*COMMON, *(self._levels.options if own is None else own.options)))
        self._seeds = random.Random()
        self._position: Position | None = None
        self._misplaced = False
        self._base_ms = 0  # the most that was on our clock in this game
        self._engine: SolvingEngine | None = None
        self._thinking: Thinking | None = None
        self._debug = False
        self._input_ended = threading.Event()
        self._is_stuck = False
        self._orders: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._greet,
            "isready": self._get_ready,
            "ucinewgame": self._forget,
            "setoption": self._set,
            "position": self._place,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._hit,
            "debug": self._set_debug,
            "d": self._draw,
            "register": lambda words: None,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Hear lines until one says `quit` or there are no more; then what is still being loaded is not waited for.

        Raises what goes wrong in loading; a PlayerError has been said by then.
        """
        ahead = queue.Queue[str | None](READ_AHEAD)
        threading.Thread(target=self._read, args=(lines, ahead), name="reading", daemon=True).start()
        try:
            while (line := ahead.get()) is not None and self.hear(line):
                pass
        except Ended:
            pass
        except PlayerError as error:
            self._explain(str(error))
            raise
        finally:
            self._input_ended.set()
            with contextlib.suppress(Ended):
                self._finish()

    def _read(self, lines: Iterable[str], ahead: queue.Queue[str | None]) -> None:
        """Read on while an order waits, so that the end is seen; nothing is read after `quit`."""
        try:
            for line in lines:
                ahead.put(line)
                if read_order(line, self._orders).word == QUIT:
                    break
        finally:
            self._loading.end()
            self._input_ended.set()
            ahead.put(None)

    @property
    def is_loading(self) -> bool:
        """Whether a thread is compiling."""
        return self._loading.runs

    @property
    def is_stuck(self) -> bool:
        """Whether a search was left behind that did not hear its stop."""
        return self._is_stuck

    def hear(self, line: str) -> bool:
        """Do what a line says; False if it says `quit`. Words before the first that is known are passed over."""
        order = read_order(line, self._orders)
        if order.word == QUIT:
            return False
        self._pass_over(order.odd)
        if order.word:
            self._orders[order.word](order.rest)
        return True

    # --- orders ---

    def _greet(self, words: Sequence[str]) -> None:
        self._say(f"id name {self._name}")
        self._say("id author the authors of Tabiya")
        for option in self._settings.offered:
            self._say(option.line)
        self._say("uciok")
        self._loading.begin()

    def _get_ready(self, words: Sequence[str]) -> None:
        self._ready_engine()
        self._say("readyok")

    def _forget(self, words: Sequence[str]) -> None:
        self._finish()
        self._base_ms = 0
        if self._engine is not None:
            self._engine.forget()

    def _set(self, words: Sequence[str]) -> None:
        self._finish()
        name, value = read_option(words)
        try:
            option = self._settings.set(name, value)
            if self._own is not None and option in self._own.options:
                self._give(self._own, option)
        except ValueError as error:
            self._explain(str(error))
            return
        if option in (HASH, THREADS, CLEAR):
            self._engine = None  # made anew when it is next needed

    def _place(self, words: Sequence[str]) -> None:
        place = read_place(words)
        try:
            if place is None:
                raise GameError("a position is startpos or fen and its text, then moves")
            game = self._loading.wait().game
            text = game.start().text() if place.text is None else place.text
            position = position_of(game.name, text, place.moves)
        except GameError as error:
            self._misplaced = True
            self._explain(f"this position is not understood, and until the next one no move is found: {error}")
            return
        self._position, self._misplaced = position, False

    def _go(self, words: Sequence[str]) -> None:
        self._finish()
        go = read_go(words)
        self._pass_over(go.odd)
        if go.counts and (self._misplaced or go.perft is None):
            self._explain("go perft takes a position that is understood, and how many plies to count")
            return
        engine, position = self._ready_engine(), self._place_now()
        from tabiya.bots.uci.search_task import Task, Thinking

        task = Task(position, go, misplaced=True) if self._misplaced else self._task(go, position)
        self._thinking = Thinking(engine, task, self._say)
        self._thinking.start()

    def _task(self, go: Go, position: Position) -> Task:
        """What is to be searched: as it is asked, as the options are set."""
        from tabiya.bots.players.search_player import NEAR_LINES, by_lot
        from tabiya.bots.uci.search_task import Task

        self._pass_over([move for move in go.moves if move not in position.legal_moves()])
        self._base_ms = max(self._base_ms, go.clocks_ms[position.to_move] or 0)
        task = Task(position, go, self._settings.number(LINES), self._settings.number(OVERHEAD), self._base_ms)
        if self._own is not None:
            task = replace(task, complaint=self._own.complaint)
        level = self._levels.chosen(self._settings) if self._own is None else None
        if level is not None:
            seed = self._seeds.getrandbits(63)
            lines, shown = max(task.lines, NEAR_LINES), task.lines
            task = replace(
                task,
                lines=lines,
                shown=shown,
                depth=level.depth,
                choose=lambda found: by_lot(found, level.margin, seed),
            )
        return task

    def _stop(self, words: Sequence[str]) -> None:
        if self._thinking is not None:
            self._thinking.stop()

    def _hit(self, words: Sequence[str]) -> None:
        if self._thinking is not None:
            self._thinking.hit()

    def _set_debug(self, words: Sequence[str]) -> None:
        self._debug = list(words[:1]) == ["on"]

    def _draw(self, words: Sequence[str]) -> None:
        position = self._place_now()
        self._say(f"{position}\n{position.text()}")

    # --- helps ---

    def _ready_engine(self) -> SolvingEngine:
        """The engine, compiled and with its memory: neither is waited for once a search's clock runs."""
        if self._engine is None:
            game, evaluator = self._loading.wait()
            from tabiya.bots.solvers.solving_engine import SolvingEngine

            table_mb, threads = self._settings.number(HASH), self._settings.number(THREADS)
            try:
                self._engine = SolvingEngine(evaluator, table_mb, threads)
            except MemoryError:
                self._explain(f"there is no memory for a Hash of {table_mb} MB; {LITTLE_MB} MB are used")
                self._engine = SolvingEngine(evaluator, LITTLE_MB, threads)
            self._warm(self._engine, game.start())
        return self._engine

    def _warm(self, engine: SolvingEngine, start: Position) -> None:
        try:
            engine.warm(start)
        except Exception as error:  # an author's evaluation, with the values that are set now
            if self._own is None:
                raise
            self._explain(self._own.failure(error))

    def _own_evaluator(self, game: Game) -> Evaluator:
        assert self._own is not None
        return self._own.evaluator_of(game, self._explain)

    def _give(self, own: OwnEvaluation, option: Option) -> None:
        """Another value of a parameter: what was found under the old one is not used again. Raises ValueError."""
        if self._loading.runs:
            self._loading.wait()
        own.set(option.name, self._settings.text(option))
        if self._engine is not None:
            self._engine.forget()

    def _place_now(self) -> Position:
        """Where the board stands: at the start of a game until told."""
        return self._position or self._loading.wait().game.start()

    def _finish(self) -> None:
        """End the search that runs; its answer is given before anything else is done.

        Raises Ended where it does not hear, as in an evaluation that never returns, and the input has ended.
        """
        thinking, self._thinking = self._thinking, None
        if thinking is not None:
            thinking.stop()
            if not thinking.join(self._input_ended):
                self._is_stuck = True
                self._explain("the search does not end; it is left without its answer")
                raise Ended

    def _pass_over(self, words: Sequence[str]) -> None:
        """Say in debug mode which words were not understood."""
        if words and self._debug:
            self._explain(f"not understood: {' '.join(words)[:LONGEST_ECHO]}")

    def _explain(self, sentence: str) -> None:
        self._say("info string " + " ".join(sentence.split()))
