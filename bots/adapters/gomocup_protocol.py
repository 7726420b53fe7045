"""Gomocup's protocol as an `EngineProtocol`, for freestyle Connect 5. The engine keeps the game, or is given the board.

Source: docs/sources.md#gomocup
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabiya.bots.adapters.engine_protocol import EngineProtocol, EngineProtocolError, FollowedGame
from tabiya.bots.adapters.stones import Board, read_board, square_of, square_text
from tabiya.bots.adapters.uci_protocol import UNTIMED_MS, margin_s
from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.protocol.time_control import ControlKind, parse

USUAL_SIDE = 15  # before the board of the game is known
LONGEST_MS = 2**31 - 1  # by which the protocol says that there is no limit
TURNS = 20  # among which what is left of a match is divided; the protocol knows no increment
FREESTYLE = ("INFO game_type 1", "INFO rule 0")  # against a program, five or more in a row
ABOUT = re.compile(r'(?:^|[\s,])[a-z]+\s*=\s*"')  # an answer to `ABOUT`; each of its values may be left out
NAME = re.compile(r'\bname\s*=\s*"(?P<name>[^"]*)"')
MOVE = re.compile(r"(?:SUGGEST\s+)?(?P<x>[0-9]{1,2})\s*,\s*(?P<y>[0-9]{1,2})")


class GomocupProtocol(EngineProtocol):
    """`BEGIN` or `BOARD` first, then `TURN`; the times as `INFO` before each."""

    protocol, hello, ready, farewell = "Gomocup's protocol", "name=", "OK", "END"

    def __init__(self, options: Sequence[tuple[str, str]] = ()) -> None:
        """options: any, told as `INFO NAME VALUE` before each game: `max_memory`, `folder`."""
        self.name, self._options = "", options
        self._game, self._sides = FollowedGame(), (0, 0)
        self._request: MoveRequest
        self._comment = ""

    def greeting(self) -> list[str]:
        """See `EngineProtocol.greeting`."""
        return ["ABOUT"]

    def is_greeted(self, line: str) -> bool:
        """See `EngineProtocol.is_greeted`."""
        found = NAME.search(line)
        self.name = found["name"] if found else self.name
        return ABOUT.search(line) is not None or line.startswith(("UNKNOWN", "ERROR"))

    def new_game(self, game: str) -> list[str]:
        """See `EngineProtocol.new_game`."""
        self._game.forget()
        return self._start((USUAL_SIDE, USUAL_SIDE))

    def is_ready(self, line: str) -> bool:
        """See `EngineProtocol.is_ready`."""
        if line.startswith("ERROR"):
            raise EngineProtocolError(f"does not play on {USUAL_SIDE}x{USUAL_SIDE}: {line}")
        return line.startswith("OK")

    def search(self, request: MoveRequest) -> list[str]:
        """See `EngineProtocol.search`."""
        self._request, times = request, _times(request)
        move = self._game.next_move(request)
        if move is not None:
            x, y = square_of(move)
            return [*times, f"TURN {x},{y}"]
        board = read_board(request.position)
        start = self._start(board.sides) if board.sides != self._sides else ["RESTART"]
        return [*start, *FREESTYLE, *(f"INFO {name} {value}" for name, value in self._options), *times, *_set_up(board)]

    def read_reply(self, line: str) -> MoveReply | None:
        """See `EngineProtocol.read_reply`."""
        word, _, rest = line.partition(" ")
        if word == "MESSAGE":
            self._comment = rest
        elif word == "ERROR":
            self._game.forget()
            return MoveReply(move="", text=line)
        elif found := MOVE.fullmatch(line):
            if not line.startswith("SUGGEST"):  # what it proposes it has not played
                self._game.answered(self._request)
            move, comment, self._comment = square_text(int(found["x"]), int(found["y"])), self._comment, ""
            return MoveReply(move=move, pv=(move,), text=comment)
        return None

    def _start(self, sides: tuple[int, int]) -> list[str]:
        self._sides = columns, rows = sides
        return [f"START {columns}" if columns == rows else f"RECTSTART {columns},{rows}"]


def _times(request: MoveRequest) -> list[str]:
    control, most_ms = parse(request.time_control), int((request.budget_s - margin_s(request.budget_s)) * 1000)
    left_ms = request.remaining_ms
    if left_ms is None:
        match_ms, left_ms, turn_ms = 0, LONGEST_MS, UNTIMED_MS
    elif control.kind is ControlKind.PER_MOVE:
        match_ms, left_ms, turn_ms = 0, LONGEST_MS, most_ms
    else:
        match_ms, turn_ms = control.base_ms, left_ms // (request.moves_to_go or TURNS) + control.increment_ms
    turn_ms = max(1, min(most_ms, turn_ms))
    return [f"INFO timeout_turn {turn_ms}", f"INFO timeout_match {match_ms}", f"INFO time_left {left_ms}"]


def _set_up(board: Board) -> list[str]:
    stones = board.in_turns()
    if not stones:
        return ["BEGIN"]
    return ["BOARD", *(f"{x},{y},{1 if seat == board.seat else 2}" for x, y, seat in stones), "DONE"]
