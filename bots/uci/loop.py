"""The command loop of the UCI program. Only `quit` or the end of the input ends it."""

from __future__ import annotations

import contextlib
import queue
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tabiya.bots.players import catalogue
from tabiya.bots.players.lazy_rules import position_of
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.uci.engine_loader import ConversationEnded, EngineLoader
from tabiya.bots.uci.options import CHESS960, CLEAR, COMMON, HASH, LINES, OVERHEAD, THREADS, Option, Settings
from tabiya.bots.uci.parse import QUIT, GoCommand, parse_command, parse_go, parse_position, parse_setoption
from tabiya.bots.uci.strength import StrengthOptions
from tabiya.games.errors import GameError

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Evaluator
    from tabiya.bots.solvers.solving_engine import SolvingEngine
    from tabiya.bots.uci.custom_evaluation import CustomEvaluation
    from tabiya.bots.uci.running_search import RunningSearch, Say, SearchTask
    from tabiya.games.contract import Game
    from tabiya.games.position import Position

LONGEST_ECHO = 80
READ_AHEAD = 1_000  # lines: a peer that writes without end fills no memory
FALLBACK_MB = 16
NOT_UNDERSTOOD = "this position is not understood"


class UciProgram:
    """Our engine on one game. One thread reads lines; `say` is called by the search's thread too.

    It introduces itself without rules and compiler: these are loaded after `uciok`, and commands that need them wait.
    """

    def __init__(self, game: str, name: str, say: Say, custom: CustomEvaluation | None = None) -> None:
        """game: its registered name.  name: of the program.  say: writes one line at once; called by two threads.

        custom: what to play with in place of the game's own evaluation; then there are no levels.
        """
        self._name, self._say, self._custom = name, say, custom
        self._loader = self._usual = EngineLoader(game, None if custom is None else self._custom_evaluator)
        self._levels = StrengthOptions(game)
        self._variant = EngineLoader(catalogue.CHESS960)
        has_variant = game == catalogue.CHESS and custom is None
        own = self._levels.options if custom is None else custom.options
        self._settings = Settings((*COMMON, *((CHESS960,) if has_variant else ()), *own))
        self._seeds = random.Random()
        self._position: Position | None = None
        self._position_unknown = False
        self._base_ms = 0  # the most that was on our clock in this game
        self._engine: SolvingEngine | None = None
        self._search: RunningSearch | None = None
        self._debug = False
        self._input_ended = threading.Event()
        self._is_stuck = False
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._greet,
            "isready": self._get_ready,
            "ucinewgame": self._new_game,
            "setoption": self._set,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "debug": self._set_debug,
            "d": self._draw,
            "register": lambda words: None,  # of UCI, for engines that have to be registered
        }

    def run(self, lines: Iterable[str]) -> None:
        """Carry out lines until `quit` or the end of the input; does not wait for what is still being loaded.

        Raises what goes wrong in loading; a PlayerError has been said by then.
        """
        ahead = queue.Queue[str | None](READ_AHEAD)
        threading.Thread(target=self._read, args=(lines, ahead), name="reading", daemon=True).start()
        try:
            while (line := ahead.get()) is not None and self.handle(line):
                pass
        except ConversationEnded:
            pass
        except PlayerError as error:
            self._info_string(str(error))
            raise
        finally:
            self._input_ended.set()
            with contextlib.suppress(ConversationEnded):
                self._end_search()

    def _read(self, lines: Iterable[str], ahead: queue.Queue[str | None]) -> None:
        """Read on while a command waits, to notice the end of the input; nothing is read after `quit`."""
        try:
            for line in lines:
                ahead.put(line)
                if parse_command(line, self._commands).word == QUIT:
                    break
        finally:
            self._usual.end()
            self._variant.end()
            self._input_ended.set()
            ahead.put(None)

    @property
    def is_loading(self) -> bool:
        """Whether a thread is compiling."""
        return self._usual.runs or self._variant.runs

    @property
    def is_stuck(self) -> bool:
        """Whether a search has ignored its stop and still runs."""
        return self._is_stuck

    def handle(self, line: str) -> bool:
        """Carry out a line; False for `quit`. Words before the first known one are skipped."""
        command = parse_command(line, self._commands)
        if command.word == QUIT:
            return False
        self._report_unknown(command.unknown)
        if command.word:
            self._commands[command.word](command.rest)
        return True

    # --- commands ---

    def _greet(self, words: Sequence[str]) -> None:
        self._say(f"id name {self._name}")
        self._say("id author the authors of Tabiya")
        for option in self._settings.offered:
            self._say(option.line)
        self._say("uciok")
        self._loader.begin()

    def _get_ready(self, words: Sequence[str]) -> None:
        self._ready_engine()
        self._say("readyok")

    def _new_game(self, words: Sequence[str]) -> None:
        self._end_search()
        self._base_ms = 0
        if self._engine is not None:
            self._engine.forget()

    def _set(self, words: Sequence[str]) -> None:
        self._end_search()
        name, value = parse_setoption(words)
        try:
            option = self._settings.set(name, value)
            if self._custom is not None and option in self._custom.options:
                self._give(self._custom, option)
        except ValueError as error:
            self._info_string(str(error))
            return
        if option is CHESS960:
            self._loader = self._variant if self._settings.flag(CHESS960) else self._usual
            self._position = None
        if option in (HASH, THREADS, CLEAR, CHESS960):
            self._engine = None  # made again when it is next needed

    def _set_position(self, words: Sequence[str]) -> None:
        place = parse_position(words)
        try:
            if place is None:
                raise GameError("a position is startpos or fen and its text, then moves")
            game = self._loader.wait().game
            text = game.start().text() if place.text is None else place.text
            position = position_of(game.name, text, place.moves)
        except GameError as error:
            self._position_unknown = True
            self._info_string(f"{NOT_UNDERSTOOD}, and until the next one no move is found: {error}")
            return
        self._position, self._position_unknown = position, False

    def _go(self, words: Sequence[str]) -> None:
        self._end_search()
        go = parse_go(words)
        self._report_unknown(go.unknown)
        if go.counts and (self._position_unknown or go.perft is None):
            self._info_string("go perft takes a position that is understood, and how many plies to count")
            return
        engine, position = self._ready_engine(), self._current_position()
        from tabiya.bots.uci.running_search import RunningSearch, SearchTask

        task = SearchTask(position, go, position_unknown=True) if self._position_unknown else self._task(go, position)
        self._search = RunningSearch(engine, task, self._say)
        self._search.start()

    def _task(self, go: GoCommand, position: Position) -> SearchTask:
        """The search that `go` and the options ask for."""
        from tabiya.bots.players.search_player import NEAR_LINES, pick_near_best
        from tabiya.bots.uci.running_search import SearchTask

        self._report_unknown([move for move in go.moves if move not in position.legal_moves()])
        self._base_ms = max(self._base_ms, go.clocks_ms[position.to_move] or 0)
        task = SearchTask(position, go, self._settings.number(LINES), self._settings.number(OVERHEAD), self._base_ms)
        if self._custom is not None:
            task = replace(task, complaint=self._custom.complaint)
        level = self._levels.chosen(self._settings) if self._custom is None else None
        if level is not None:
            seed = self._seeds.getrandbits(63)
            lines, shown = max(task.lines, NEAR_LINES), task.lines
            task = replace(
                task,
                lines=lines,
                shown=shown,
                depth=level.depth,
                choose=lambda found: pick_near_best(found, level.margin, seed),
            )
        return task

    def _stop(self, words: Sequence[str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _ponderhit(self, words: Sequence[str]) -> None:
        if self._search is not None:
            self._search.ponderhit(parse_go(words) if words else None)

    def _set_debug(self, words: Sequence[str]) -> None:
        self._debug = list(words[:1]) == ["on"]

    def _draw(self, words: Sequence[str]) -> None:
        position = self._current_position()
        self._say(f"{position}\n{position.text()}")

    # --- what commands use ---

    def _ready_engine(self) -> SolvingEngine:
        """The engine, compiled and with its memory, so that no search's clock pays for either."""
        if self._engine is None:
            game, evaluator = self._loader.wait()
            from tabiya.bots.solvers.solving_engine import SolvingEngine

            table_mb, threads = self._settings.number(HASH), self._settings.number(THREADS)
            try:
                self._engine = SolvingEngine(evaluator, table_mb, threads)
            except MemoryError:
                self._info_string(f"there is no memory for a Hash of {table_mb} MB; {FALLBACK_MB} MB are used")
                self._engine = SolvingEngine(evaluator, FALLBACK_MB, threads)
            self._warm(self._engine, game.start())
        return self._engine

    def _warm(self, engine: SolvingEngine, start: Position) -> None:
        try:
            engine.warm(start)
        except Exception as error:  # an author's evaluation, with the values that are set now
            if self._custom is None:
                raise
            self._info_string(self._custom.failure(error))

    def _custom_evaluator(self, game: Game) -> Evaluator:
        assert self._custom is not None
        return self._custom.evaluator_of(game, self._info_string)

    def _give(self, custom: CustomEvaluation, option: Option) -> None:
        """Give a parameter another value, and forget earlier searches. Raises ValueError."""
        if self._loader.runs:
            self._loader.wait()
        custom.set(option.name, self._settings.text(option))
        if self._engine is not None:
            self._engine.forget()

    def _current_position(self) -> Position:
        """The position that was set last, the start of a game before that."""
        return self._position or self._loader.wait().game.start()

    def _end_search(self) -> None:
        """End the running search and wait for its answer.

        Raises ConversationEnded if the search does not stop (an evaluation that never returns) and the input has ended.
        """
        search, self._search = self._search, None
        if search is not None:
            search.stop()
            if not search.join(self._input_ended):
                self._is_stuck = True
                self._info_string("the search does not end; it is left without its answer")
                raise ConversationEnded

    def _report_unknown(self, words: Sequence[str]) -> None:
        """Report in debug mode the words that were not understood."""
        if words and self._debug:
            self._info_string(f"not understood: {' '.join(words)[:LONGEST_ECHO]}")

    def _info_string(self, sentence: str) -> None:
        self._say("info string " + " ".join(sentence.split()))
