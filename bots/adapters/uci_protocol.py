"""UCI as an `EngineProtocol`."""

from __future__ import annotations

import difflib
from collections import deque
from collections.abc import Sequence

from tabiya.bots.adapters.engine_protocol import Answer, EngineProtocolError
from tabiya.bots.adapters.uci_text import (
    OfferedOption,
    UciInfo,
    best_move,
    engine_name,
    go_line,
    offered_option,
    option_line,
    position_line,
    read_info,
    whole_number,
)
from tabiya.bots.players.api import MoveReply, MoveRequest

LONGEST_MARGIN_S, MARGIN_SHARE = 0.05, 0.1  # of the budget: then it is told to answer
UNTIMED_MS = 1_000
MOST_LINES = 8  # the last ones of a thought that are read

Options = Sequence[tuple[str, str]]


class UciProtocol:
    """Positions go as FEN and moves, clocks as wtime and btime; a per-move time as movetime."""

    protocol, hello, ready = "UCI", "uciok", "readyok"

    def __init__(self, options: Options = ()) -> None:
        """options: names and values, set once; a name counts in upper and lower case alike."""
        self.name = ""
        self._options, self._offered = options, dict[str, OfferedOption]()
        self._said: deque[str] = deque(maxlen=MOST_LINES)

    def greeting(self) -> list[str]:
        """See `EngineProtocol.greeting`."""
        return ["uci"]

    def is_greeted(self, line: str) -> bool:
        """See `EngineProtocol.is_greeted`."""
        if line == "uciok":
            self._check_options()
            return True
        self.name = engine_name(line) or self.name
        if option := offered_option(line):
            self._offered[option.name.casefold()] = option
        return False

    def settings(self) -> list[str]:
        """See `EngineProtocol.settings`."""
        return [option_line(self._offered[name.casefold()].name, value) for name, value in self._options]

    def new_game(self) -> list[str]:
        """See `EngineProtocol.new_game`."""
        return ["ucinewgame", "isready"]

    def is_ready(self, line: str) -> bool:
        """See `EngineProtocol.is_ready`."""
        return line == "readyok"

    def search(self, request: MoveRequest) -> list[str]:
        """See `EngineProtocol.search`."""
        self._said.clear()
        return [position_line(request), go_line(request, movetime_ms(request))]

    def read_answer(self, line: str) -> Answer | None:
        """See `EngineProtocol.read_answer`."""
        if line.startswith("info"):
            if (" score " in line or " pv " in line) and (" multipv " not in line or " multipv 1 " in line):
                self._said.append(line)  # read when the move has come: an engine may say very much
            return None
        move = best_move(line)
        return None if move is None else Answer(move, tuple(self._said))

    def reply_of(self, answer: Answer) -> MoveReply:
        """See `EngineProtocol.reply_of`."""
        move, info = answer.move, UciInfo()
        for line in reversed(answer.lines):
            info = read_info(line, info)
            if info.is_complete:
                break
        pv = info.pv if info.pv[:1] == (move,) else (move,) if move else ()
        return MoveReply(move=move, depth=info.depth, score=info.score, nodes=info.nodes, pv=pv)

    def stop(self) -> list[str]:
        """See `EngineProtocol.stop`."""
        return ["stop"]

    def _check_options(self) -> None:
        names = [option.name for option in self._offered.values()]
        for name, value in self._options:
            option = self._offered.get(name.casefold())
            if option is None:
                near = difflib.get_close_matches(name, names, n=1)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                raise EngineProtocolError(f"has no option {name!r}{meant} (it has: {', '.join(names) or 'none'})")
            if option.bounds is not None:
                (least, most), number = option.bounds, whole_number(value)
                if number is None or not least <= number <= most:
                    raise EngineProtocolError(
                        f"takes {option.name} as a whole number from {least} to {most}, not {value!r}"
                    )


def margin_s(budget_s: float) -> float:
    """How long before the end of its budget a program is told to answer."""
    return min(LONGEST_MARGIN_S, MARGIN_SHARE * budget_s)


def movetime_ms(request: MoveRequest) -> int | None:
    """Milliseconds for this move alone; None when the engine is to manage the clocks."""
    budget_ms = int((request.budget_s - margin_s(request.budget_s)) * 1000)
    if request.remaining_ms is None:
        return min(UNTIMED_MS, budget_ms)
    return budget_ms if request.time_control.endswith("/move") else None
