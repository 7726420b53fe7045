"""Gomocup's protocol for a program that speaks UCI: translates each line.

Source: docs/sources.md#gomocup
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

SIZES, IN_ROW = range(5, 21), 5
LETTERS = "abcdefghijklmnopqrst"
LONGEST_MS = 2**31 - 1  # by which the protocol says that there is no limit
TURNS = 20  # among which what is left of the match is divided
SHORTEST_MS = 20
PAIR = re.compile(r"(\d{1,3})\s*,\s*(\d{1,3})")
STONE = re.compile(r"(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*([12])")
NUMBER = re.compile(r"\d{1,12}")

Say = Callable[[str], None]
Cell = tuple[int, int]


class GomocupError(ValueError):
    """A line that cannot be carried out; the manager gets the message."""


class GomocupTranslator:
    """Translates the manager's lines to UCI (`commands`) and the UCI program's lines to answers (`say`)."""

    def __init__(self, name: str, version: str, say: Say) -> None:
        """name, version: of the program.  say: writes one line."""
        self._about = f'name="{name}", version="{version}", author="the authors of Tabiya"'
        self._say = say
        self._size: Cell | None = None
        self._own, self._other = set[Cell](), set[Cell]()
        self._limits_ms = {"timeout_turn": 5_000, "timeout_match": 0, "time_left": LONGEST_MS}
        self._commands: dict[str, Callable[[str], Iterable[str]]] = {
            "START": lambda rest: self._start(rest, rest),
            "RECTSTART": lambda rest: self._start(*_pair(rest)),
            "RESTART": self._restart,
            "BEGIN": lambda rest: self._think(),
            "TURN": self._turn,
            "PLAY": self._play,
            "TAKEBACK": self._take_back,
            "INFO": self._inform,
            "ABOUT": self._tell_about,
            "END": lambda rest: ["quit"],
        }

    def commands(self, lines: Iterable[str]) -> Iterator[str]:
        """UCI commands for the lines of the manager."""
        remaining = iter(lines)
        for line in remaining:
            word, _, rest = line.strip().partition(" ")
            try:
                if word.upper() == "BOARD":
                    yield from self._board(remaining)
                elif word.upper() in self._commands:
                    yield from self._commands[word.upper()](rest.strip())
                elif word:
                    self._say("UNKNOWN command")
            except GomocupError as error:
                self._say(f"ERROR {error}")

    def say(self, line: str) -> None:
        """Translate and write a line of the UCI program."""
        word, _, rest = line.partition(" ")
        if word == "bestmove" and not rest.startswith("("):
            move = rest.split()[0]
            cell = LETTERS.index(move[0]), int(move[1:]) - 1
            self._own.add(cell)
            self._say(f"{cell[0]},{cell[1]}")
        elif word == "bestmove":
            self._say("ERROR the game is over")
        elif word == "readyok":
            self._say("OK")
        elif line.startswith("info string "):
            self._say(f"MESSAGE {line.removeprefix('info string ')}")

    # --- what the manager says ---

    def _start(self, columns: str | int, rows: str | int) -> Iterator[str]:
        sides = [int(side) if NUMBER.fullmatch(str(side)) else 0 for side in (columns, rows)]
        if not all(side in SIZES for side in sides):
            raise GomocupError(f"unsupported size; {SIZES[0]} to {SIZES[-1]} are played")
        self._size = sides[0], sides[1]
        yield from self._restart("")

    def _restart(self, rest: str) -> Iterator[str]:
        self._own.clear()
        self._other.clear()
        yield from ("ucinewgame", "isready")

    def _turn(self, rest: str) -> Iterator[str]:
        self._put(self._other, _pair(rest))
        yield from self._think()

    def _play(self, rest: str) -> Iterator[str]:
        """The manager makes a move for us."""
        x, y = _pair(rest)
        self._put(self._own, (x, y))
        self._say(f"{x},{y}")
        yield from ()

    def _take_back(self, rest: str) -> Iterator[str]:
        cell = _pair(rest)
        self._own.discard(cell)
        self._other.discard(cell)
        yield "isready"

    def _board(self, lines: Iterator[str]) -> Iterator[str]:
        self._own.clear()
        self._other.clear()
        unfit = ""
        for line in lines:
            if line.strip().upper() == "DONE":
                break
            if found := STONE.fullmatch(line.strip()):
                stones = self._own if found[3] == "1" else self._other
                self._put(stones, (int(found[1]), int(found[2])))
            else:
                unfit = unfit or line.strip()
        if unfit:
            raise GomocupError(f"not a stone of the board: {unfit[:40]}")
        yield from self._think()

    def _inform(self, rest: str) -> Iterator[str]:
        key, _, value = rest.partition(" ")
        if key in self._limits_ms and NUMBER.fullmatch(value):
            self._limits_ms[key] = int(value)
        yield from ()

    def _tell_about(self, rest: str) -> Iterator[str]:
        self._say(self._about)
        yield from ()

    # --- the game ---

    def _put(self, stones: set[Cell], cell: Cell) -> None:
        columns, rows = self._size or (0, 0)
        if not (cell[0] < columns and cell[1] < rows):
            raise GomocupError(f"{cell[0]},{cell[1]} is not on the board")
        if cell in self._own or cell in self._other:
            raise GomocupError(f"{cell[0]},{cell[1]} has a stone already")
        stones.add(cell)

    def _think(self) -> Iterator[str]:
        yield f"position fen {self._position()}"
        yield f"go movetime {self._time_ms()}"

    def _position(self) -> str:
        """The position as text; X began. Raises GomocupError for a board where neither side can be to move."""
        if self._size is None:
            raise GomocupError("there is no board before START")
        behind = len(self._other) - len(self._own)
        if behind not in (0, 1):
            raise GomocupError(f"{len(self._own)} stones against {len(self._other)}: it is not our turn")
        signs = dict.fromkeys(self._own, "XO"[behind]) | dict.fromkeys(self._other, "OX"[behind])
        columns, rows = self._size
        cells = "".join(signs.get((x, y), "-") for y in range(rows) for x in range(columns))
        return f"{columns}x{rows}x{IN_ROW} {cells} {'XO'[behind]}"

    def _time_ms(self) -> int:
        limits = self._limits_ms
        turn_ms = limits["timeout_turn"]
        return max(SHORTEST_MS, min(turn_ms, limits["time_left"] // TURNS) if limits["timeout_match"] else turn_ms)


def _pair(text: str) -> Cell:
    found = PAIR.fullmatch(text)
    if found is None:
        raise GomocupError(f"two numbers with a comma between them are needed, not {text[:40]!r}")
    return int(found[1]), int(found[2])
