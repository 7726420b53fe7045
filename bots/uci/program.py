"""The conversation: one line in, any number of lines out. No line of any kind ends it but `quit`."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bots.engine.engine import Engine
from bots.players.catalogue import brain_for
from bots.players.search_player import NEAR_LINES, by_lot
from bots.uci.levels import Levels
from bots.uci.settings import CLEAR, COMMON, HASH, LINES, OVERHEAD, THREADS, Settings
from bots.uci.thinking import Say, Task, Thinking
from bots.uci.words import read_go, read_option, read_place
from games.contract import Game
from games.errors import GameError
from games.position import Position
from games.warm import warm

LONGEST_ECHO = 80


class UciProgram:
    """Our engine on one game. Lines are heard by one thread; `say` is called by the search's thread too."""

    def __init__(self, game: Game, name: str, say: Say) -> None:
        """name: of the program.  say: writes one line and flushes it; called by two threads."""
        self._game, self._name, self._say = game, name, say
        self._levels = Levels(game.name)
        self._settings = Settings((*COMMON, *self._levels.options))
        self._seeds = random.Random()
        self._position: Position | None = None
        self._misplaced = False
        self._base_ms = 0  # the most that was on our clock in this game
        self._engine: Engine | None = None
        self._thinking: Thinking | None = None
        self._debug = False
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
        """Hear lines until one says `quit` or there are no more."""
        try:
            for line in lines:
                if not self.hear(line):
                    return
        finally:
            self._finish()

    def hear(self, line: str) -> bool:
        """Do what a line says; False if it says `quit`. Words before the first that is known are passed over."""
        words = line.split()
        for at, word in enumerate(words):
            if word == "quit":
                return False
            if word in self._orders:
                self._orders[word](words[at + 1 :])
                return True
        if words and self._debug:
            self._explain(f"not understood: {line.strip()[:LONGEST_ECHO]}")
        return True

    # --- orders ---

    def _greet(self, words: Sequence[str]) -> None:
        self._say(f"id name {self._name}")
        self._say("id author the authors of Tabiya")
        for option in self._settings.offered:
            self._say(option.line)
        self._say("uciok")

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
        except ValueError as error:
            self._explain(str(error))
            return
        if option in (HASH, THREADS):
            self._engine = None  # made anew when it is next needed
        elif option is CLEAR and self._engine is not None:
            self._engine.forget()

    def _place(self, words: Sequence[str]) -> None:
        place = read_place(words)
        try:
            if place is None:
                raise GameError("a position is startpos or fen and its text, then moves")
            position = self._game.start() if place.text is None else self._game.parse(place.text)
            for move in place.moves:
                position = position.play(move)
        except GameError as error:
            self._misplaced = True
            self._explain(f"this position is not understood, and until the next one no move is found: {error}")
            return
        self._position, self._misplaced = position, False

    def _go(self, words: Sequence[str]) -> None:
        self._finish()
        if self._misplaced:
            self._say("bestmove (none)")
            return
        engine, go = self._ready_engine(), read_go(words)
        position = self._position or self._game.start()
        self._base_ms = max(self._base_ms, go.clocks_ms[position.to_move] or 0)
        task = Task(position, go, self._settings.number(LINES), self._settings.number(OVERHEAD), self._base_ms)
        level = self._levels.chosen(self._settings)
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
        self._thinking = Thinking(engine, task, self._say)
        self._thinking.start()

    def _stop(self, words: Sequence[str]) -> None:
        if self._thinking is not None:
            self._thinking.stop()

    def _hit(self, words: Sequence[str]) -> None:
        if self._thinking is not None:
            self._thinking.hit()

    def _set_debug(self, words: Sequence[str]) -> None:
        self._debug = list(words[:1]) == ["on"]

    def _draw(self, words: Sequence[str]) -> None:
        position = self._position or self._game.start()
        self._say(f"{position}\n{position.text()}")

    # --- helps ---

    def _ready_engine(self) -> Engine:
        """The engine, compiled; nothing is compiled once a search's clock runs."""
        if self._engine is None:
            warm(self._game)
            table_mb, threads = self._settings.number(HASH), self._settings.number(THREADS)
            engine = Engine(brain_for(self._game), table_mb=table_mb, threads=threads)
            engine.warm(self._game.start())
            engine.search(self._game.start(), depth=1, lines=2)
            engine.forget()
            self._engine = engine
        return self._engine

    def _finish(self) -> None:
        """End the search that runs; its answer is given before anything else is done."""
        if self._thinking is not None:
            self._thinking.stop()
            self._thinking.join()
            self._thinking = None

    def _explain(self, sentence: str) -> None:
        self._say("info string " + " ".join(sentence.split()))
