"""UCI as an `EngineProtocol`."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tabiya.bots.adapters.engine_options import OfferedOption, check_options, ponders
from tabiya.bots.adapters.engine_protocol import EngineProtocol, EngineProtocolError
from tabiya.bots.adapters.uci_text import (
    UciInfo,
    best_move,
    engine_name,
    expected_reply,
    go_line,
    offered_option,
    option_line,
    position_line,
    read_info,
)
from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.bots.players.catalogue import CHESS960

LONGEST_MARGIN_S, MARGIN_SHARE = 0.05, 0.1  # of the budget: then it is told to answer
UNTIMED_MS = 1_000
MOST_LINES = 8  # the last ones of a thought that are read
CHESS960_OPTION = "UCI_Chess960"
LIMITS = {"nodes": OfferedOption("nodes", (1, 10**12)), "depth": OfferedOption("depth", (1, 245))}  # of each search

Options = Sequence[tuple[str, str]]


class UciProtocol(EngineProtocol):
    """Positions go as FEN and moves, clocks as wtime and btime; a per-move time as movetime."""

    protocol, hello, ready = "UCI", "uciok", "readyok"

    def __init__(self, options: Options = ()) -> None:
        """options: names and values, set once; a name counts in upper and lower case alike.

        `nodes` and `depth` are limits of each search, unless the engine has an option of that name. With its option
        Ponder, replies say what is expected.
        """
        self.name, self._limits = "", ""
        self._options, self._offered = options, dict(LIMITS)
        self._plays_chess960 = False
        self._ponders = ponders(options)
        self._info_lines: deque[str] = deque(maxlen=MOST_LINES)

    def greeting(self) -> list[str]:
        """See `EngineProtocol.greeting`."""
        return ["uci"]

    def is_greeted(self, line: str) -> bool:
        """See `EngineProtocol.is_greeted`."""
        if line == "uciok":
            check_options(self._options, self._offered)
            return True
        self.name = engine_name(line) or self.name
        if option := offered_option(line):
            self._offered[option.name.casefold()] = option
        return False

    def settings(self) -> list[str]:
        """See `EngineProtocol.settings`."""
        given = [(self._offered[name.casefold()], value) for name, value in self._options]
        self._limits = "".join(f" {limit.name} {value}" for limit, value in given if limit in LIMITS.values())
        return [option_line(option.name, value) for option, value in given if option not in LIMITS.values()]

    def new_game(self, game: str) -> list[str]:
        """See `EngineProtocol.new_game`."""
        return [*self._variant(game), "ucinewgame", "isready"]

    def is_ready(self, line: str) -> bool:
        """See `EngineProtocol.is_ready`."""
        return line == "readyok"

    def search(self, request: MoveRequest) -> list[str]:
        """See `EngineProtocol.search`."""
        self._info_lines.clear()
        line = position_line(request)
        if self._limits and request.remaining_ms is None:
            return [line, f"go{self._limits}"]
        return [line, go_line(request, movetime_ms(request)) + self._limits]

    def _variant(self, game: str) -> list[str]:
        """The order by which it plays Chess960, or chess again, where that changes."""
        plays, self._plays_chess960 = self._plays_chess960, game == CHESS960
        if plays == self._plays_chess960:
            return []
        if CHESS960_OPTION.casefold() not in self._offered:
            raise EngineProtocolError(f"does not play Chess960: it has no option {CHESS960_OPTION}")
        return [option_line(CHESS960_OPTION, str(self._plays_chess960).lower())]

    def read_reply(self, line: str) -> MoveReply | None:
        """See `EngineProtocol.read_reply`."""
        if line.startswith("info"):
            if (" score " in line or " pv " in line) and (" multipv " not in line or " multipv 1 " in line):
                self._info_lines.append(line)  # read when the move has come: an engine may say very much
            return None
        move = best_move(line)
        if move is None:
            return None
        info = UciInfo()
        while self._info_lines and not info.is_complete:
            info = read_info(self._info_lines.pop(), info)
        pv = info.pv if info.pv[:1] == (move,) else (move,) if move else ()
        expected = expected_reply(line) if self._ponders else ""
        return MoveReply(move=move, depth=info.depth, score=info.score, nodes=info.nodes, pv=pv, expected=expected)

    def ponder(self, request: MoveRequest) -> list[str]:
        """See `EngineProtocol.ponder`."""
        *lines, go = self.search(request)
        return [*lines, go.replace("go", "go ponder", 1)]

    def ponder_hit(self) -> list[str]:
        """See `EngineProtocol.ponder_hit`."""
        return ["ponderhit"]

    def stop(self) -> list[str]:
        """See `EngineProtocol.stop`."""
        return ["stop"]


def margin_s(budget_s: float) -> float:
    """How long before the end of its budget a program is told to answer."""
    return min(LONGEST_MARGIN_S, MARGIN_SHARE * budget_s)


def movetime_ms(request: MoveRequest) -> int | None:
    """Milliseconds for this move alone; None when the engine is to manage the clocks."""
    budget_ms = int((request.budget_s - margin_s(request.budget_s)) * 1000)
    if request.remaining_ms is None:
        return min(UNTIMED_MS, budget_ms)
    return budget_ms if request.time_control.endswith("/move") else None
