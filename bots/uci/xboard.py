"""xboard's protocol (CECP, version 2) for a program that speaks UCI: translates each line.

Source: docs/sources.md#xboard
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from queue import Full, Queue

from tabiya.bots.adapters.xboard_text import CASTLING, FISCHERANDOM, START, written_move
from tabiya.bots.players import catalogue
from tabiya.bots.players.lazy_rules import load_game, position_of
from tabiya.bots.uci.loop import NOT_UNDERSTOOD, READ_AHEAD
from tabiya.bots.uci.options import CHESS960, HASH, LINES, PONDER, THREADS
from tabiya.games.errors import GameError

FEATURES = (
    "ping=1 setboard=1 usermove=1 playother=1 memory=1 smp=1 san=0 time=1 draw=0 sigint=0 sigterm=0 reuse=1 analyze=0 "
    'colors=0 name=0 variants="normal"'
)
OPTION = re.compile(
    r"option name (?P<name>.+) type (?P<kind>\w+)(?: default (?P<default>.*?))?"
    r"(?: min (?P<low>\S+) max (?P<high>\S+))?(?P<choices>(?: var \S+)*)"
)
# the protocol has words of its own, or none
NOT_OFFERED = (CHESS960.name, HASH.name, THREADS.name, LINES.name, PONDER.name)
INFO = re.compile(
    r"info depth (?P<depth>\d+) .*multipv 1 score (?P<kind>cp|mate) (?P<score>-?\d+) nodes (?P<nodes>\d+) .*"
    r"time (?P<ms>\d+) pv (?P<pv>.+)"
)
LEVEL = re.compile(
    r"(?P<moves>\d{1,6}) (?P<minutes>\d{1,6})(?::(?P<seconds>\d{1,2}))? (?P<increment>\d{1,6}(?:\.\d{1,6})?)"
)
NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
MATE = 100_000
VARIANT = f"setoption name {CHESS960.name} value"
WITHOUT_EFFECT = "xboard accepted rejected random computer name rating ics draw result hint bk"

Say = Callable[[str], None]
Work = Callable[[], Iterable[str]]


class XboardTranslator:
    """Translates xboard's lines to UCI (`commands`) and the UCI program's lines to xboard's (`say`).

    Two threads call the two; `commands` runs the work of both in the order of arrival.
    """

    def __init__(self, say: Say) -> None:
        """say: writes one line."""
        self._say, self._queue = say, Queue[Work | None](READ_AHEAD)
        self._fen, self._moves, self._sent = "", list[str](), ""  # sent: the last `position`
        self._plays_960, self._has_960 = False, False
        self._seat: int | None = 1  # that we play, None for neither (`force`)
        self._asked = self._answered = self._void = 0  # numbers of searches; answers up to `_void` are dropped
        self._ponders, self._expected = False, ""  # the opponent's move that it ponders on
        self._pings, self._is_introduced, self._shows = deque[str](), False, False
        self._checks = set[str]()  # names of options that are true or false
        self._level, self._clocks_ms = (0, 0, 0), dict[str, int]()  # moves, milliseconds, increment; by command
        self._depth, self._time_ms = 0, 0  # of each move, 0 where not given
        self._commands: dict[str, Callable[[str], Iterable[str]]] = {
            "protover": lambda rest: ["uci", "isready"],
            "new": self._new,
            "variant": self._set_variant,
            "force": self._force,
            "go": self._go,
            "playother": self._play_other,
            "usermove": self._move,
            "setboard": self._set_board,
            "undo": lambda rest: self._take_back(1),
            "remove": lambda rest: self._take_back(2),
            "level": self._set_level,
            "st": self._set_time,
            "sd": self._set_depth,
            "time": lambda rest: self._set_clock("time", rest),
            "otim": lambda rest: self._set_clock("otim", rest),
            "post": lambda rest: self._show(True),
            "nopost": lambda rest: self._show(False),
            "ping": self._ping,
            "hard": lambda rest: self._let_ponder(True),
            "easy": lambda rest: self._let_ponder(False),
            "?": lambda rest: [] if self._expected else ["stop"],
            "memory": lambda rest: self._set(HASH.name, rest),
            "cores": lambda rest: self._set(THREADS.name, rest),
            "option": self._set_option,
            "quit": lambda rest: ["quit"],
            **dict.fromkeys(WITHOUT_EFFECT.split(), lambda rest: []),
        }

    def commands(self, lines: Iterable[str]) -> Iterator[str]:
        """UCI commands for xboard's lines, and for pondering between them."""
        threading.Thread(target=self._read, args=(lines,), name="listening", daemon=True).start()
        while (work := self._queue.get()) is not None:
            yield from work()

    def _read(self, lines: Iterable[str]) -> None:
        try:
            for line in lines:
                self._queue.put(partial(self._handle, line.strip()))
        finally:
            self._queue.put(None)

    def _handle(self, line: str) -> Iterable[str]:
        word, _, rest = line.partition(" ")
        if word in self._commands:
            return self._commands[word](rest.strip())
        if word:
            self._say(f"Error (unknown command): {line}")
        return ()

    def say(self, line: str) -> None:
        """Translate and write a line of the UCI program."""
        word, _, rest = line.partition(" ")
        if word == "bestmove":
            self._best_move(*rest.split()[::2])
        elif word == "readyok":
            self._ready()
        elif line.startswith("id name "):
            self._say(f'feature done=0 myname="{line.removeprefix("id name ")}" {FEATURES}')
        elif option := OPTION.fullmatch(line):
            self._offer(option)
        elif line.startswith(f"info string {NOT_UNDERSTOOD}"):
            move, self._sent = self._moves.pop() if self._moves else "", ""
            self._say(f"Illegal move: {move}" if move else f"tellusererror Illegal position: {self._fen}")
        elif line.startswith("info string "):
            self._say(f"# {line.removeprefix('info string ')}")
        elif self._shows and (info := INFO.fullmatch(line)):
            self._say(_thought(info, self._expected))

    # --- what the UCI program says ---

    def _ready(self) -> None:
        if self._is_introduced:
            self._say(f"pong {self._pings.popleft()}")
        else:
            self._is_introduced = True
            self._say("feature done=1")

    def _offer(self, option: re.Match[str]) -> None:
        name, kind, default = option["name"], option["kind"], option["default"] or ""
        if name == CHESS960.name:
            self._has_960 = True
            self._say(f'feature variants="normal,{FISCHERANDOM}"')
        if name in NOT_OFFERED:
            return
        if kind == "check":
            self._checks.add(name)
            default = str(int(default == "true"))
        elif kind == "spin":
            default = f"{default} {option['low']} {option['high']}"
        elif kind == "combo":
            choices = option["choices"].split()[1::2]
            default = " /// ".join(f"*{choice}" if choice == default else choice for choice in choices)
        self._say(f'feature option="{f"{name} -{kind} {default}".rstrip()}"')

    def _best_move(self, move: str, expected: str = "") -> None:
        self._answered += 1
        if self._answered > self._void and move != "(none)":
            words = written_move(*self._history, move) if self._plays_960 else move
            self._moves.append(move)
            if expected:  # before anybody can answer the move
                with contextlib.suppress(Full):
                    self._queue.put_nowait(partial(self._ponder, expected, len(self._moves)))
            self._say(f"move {words}")

    # --- what xboard says ---

    def _new(self, rest: str) -> Iterator[str]:
        yield from self._stop()
        self._fen, self._moves, self._seat, self._depth = "", [], 1, 0
        self._clocks_ms.clear()
        yield from self._play_960(False)
        yield "ucinewgame"

    def _set_variant(self, rest: str) -> Iterator[str]:
        if rest == "normal" or (rest == FISCHERANDOM and self._has_960):
            yield from self._play_960(rest == FISCHERANDOM)
        else:
            self._say(f"Error (unknown variant): {rest}")

    def _play_960(self, plays: bool) -> Iterator[str]:
        if plays != self._plays_960:
            self._plays_960, self._sent = plays, ""
            yield f"{VARIANT} {str(plays).lower()}"

    def _force(self, rest: str) -> Iterator[str]:
        self._seat = None
        yield from self._stop()

    def _go(self, rest: str) -> Iterator[str]:
        self._seat = self._to_move()
        yield from self._think()

    def _play_other(self, rest: str) -> Iterator[str]:
        self._seat = 1 - self._to_move()
        yield from self._stop()

    def _move(self, move: str) -> Iterator[str]:
        if self._asked > max(self._answered, self._void):
            self._say(f"Illegal move (it is my turn): {move}")
            return
        if move.startswith(CASTLING):
            try:
                move = load_game(self._history[0]).read_move(position_of(*self._history), move)
            except GameError:
                self._say(f"Illegal move: {move}")
                return
        self._moves.append(move)
        if self._expected and move == self._expected:
            self._expected, self._void = "", self._asked - 1
            yield f"ponderhit{self._limits()}"
        else:
            yield from self._think() if self._to_move() == self._seat else self._position()

    def _set_board(self, fen: str) -> Iterator[str]:
        yield from self._stop()
        self._fen, self._moves = fen, []
        yield from self._position()

    def _take_back(self, plies: int) -> Iterator[str]:
        yield from self._stop()
        del self._moves[-plies:]

    def _set_level(self, rest: str) -> Iterator[str]:
        if found := LEVEL.fullmatch(rest):
            base_ms = 60_000 * int(found["minutes"]) + 1000 * int(found["seconds"] or 0)
            self._level, self._time_ms = (int(found["moves"]), base_ms, _milliseconds(found["increment"], 1000)), 0
            self._clocks_ms.clear()
        yield from ()

    def _set_time(self, rest: str) -> Iterator[str]:
        self._time_ms = _milliseconds(rest, 1000)
        yield from ()

    def _set_depth(self, rest: str) -> Iterator[str]:
        self._depth = _milliseconds(rest, 1)
        yield from ()

    def _set_clock(self, whose: str, rest: str) -> Iterator[str]:
        self._clocks_ms[whose] = _milliseconds(rest, 10)
        yield from ()

    def _let_ponder(self, ponders: bool) -> Iterator[str]:
        self._ponders = ponders
        if not ponders:
            yield from self._end_pondering()

    def _show(self, shows: bool) -> Iterator[str]:
        self._shows = shows
        yield from ()

    def _ping(self, rest: str) -> Iterator[str]:
        self._pings.append(rest)
        yield "isready"

    def _set_option(self, rest: str) -> Iterator[str]:
        name, _, value = rest.partition("=")
        if name in self._checks:
            value = "true" if value == "1" else "false"
        yield from self._set(name, value)

    def _set(self, name: str, value: str) -> Iterator[str]:
        yield from self._end_pondering()
        yield f"setoption name {name}" + (f" value {value}" if value else "")

    # --- the game ---

    def _stop(self) -> Iterator[str]:
        """End a search and drop its answer."""
        self._void, self._expected = self._asked, ""
        yield "stop"

    def _end_pondering(self) -> Iterator[str]:
        if self._expected:
            yield from self._stop()

    @property
    def _history(self) -> tuple[str, str, list[str]]:
        """The name of its game, the start position and the moves since."""
        return catalogue.CHESS960 if self._plays_960 else catalogue.CHESS, self._fen or START, self._moves

    def _to_move(self) -> int:
        return (len(self._moves) + (self._fen.split()[1:2] == ["b"])) % 2

    def _position(self) -> Iterator[str]:
        """The `position` command if the position is new, so that a bad one is reported only once."""
        moves = f" moves {' '.join(self._moves)}" if self._moves else ""
        position = f"position {f'fen {self._fen}' if self._fen else 'startpos'}{moves}"
        if position != self._sent:
            self._sent = position
            yield position

    def _think(self) -> Iterator[str]:
        yield from self._end_pondering()
        self._asked += 1
        yield from self._position()
        yield f"go{self._deepest()}{self._limits()}"

    def _ponder(self, expected: str, plies: int) -> Iterator[str]:
        """Ponder.  expected: the opponent's move.  plies: moves so far; with any other it is too late."""
        if self._ponders and self._seat is not None and len(self._moves) == plies and self._to_move() != self._seat:
            self._moves.append(expected)
            yield from self._position()
            self._moves.pop()
            self._asked += 1
            self._void, self._expected = self._asked, expected  # its answer is dropped unless the move is played
            yield f"go ponder{self._deepest()}"

    def _deepest(self) -> str:
        return f" depth {self._depth}" if self._depth else ""

    def _limits(self) -> str:
        return f" movetime {self._time_ms}" if self._time_ms else self._clocks()

    def _clocks(self) -> str:
        moves, base_ms, increment_ms = self._level
        own = self._clocks_ms.get("time", base_ms)
        if not own:
            return ""
        clocks = own, self._clocks_ms.get("otim", own)
        white, black = clocks if self._to_move() == 0 else clocks[::-1]
        to_go = f" movestogo {moves - len(self._moves) // 2 % moves}" if moves else ""
        return f" wtime {white} btime {black} winc {increment_ms} binc {increment_ms}{to_go}"


def _thought(info: re.Match[str], expected: str) -> str:
    """A line of thinking.  expected: the opponent's move before it while pondering."""
    score = int(info["score"])
    if info["kind"] == "mate":
        score += MATE if score > 0 else -MATE
    line = f"{expected} {info['pv']}".lstrip()
    return f"{info['depth']} {score} {int(info['ms']) // 10} {info['nodes']} {line}"


def _milliseconds(text: str, unit: int) -> int:
    """The milliseconds of a number of units; 0 for what is no number.  unit: in milliseconds."""
    return round(float(text) * unit) if NUMBER.fullmatch(text) else 0
