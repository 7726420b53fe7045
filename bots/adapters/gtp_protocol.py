"""The Go Text Protocol (GTP, version 2) as an `EngineProtocol`, for reversi and Connect 5.

The engine keeps the game. Stones of Connect 5 are put one by one; a position of reversi within a game takes a command
that sets the board, which the protocol does not have and some engines do.  Source: docs/sources.md#gtp
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabiya.bots.adapters.engine_protocol import EngineProtocol, EngineProtocolError, FollowedGame
from tabiya.bots.adapters.nboard_text import PASS_TEXT
from tabiya.bots.adapters.stones import Board, read_board, square_of, square_text
from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.protocol.time_control import ControlKind, parse

COLOURS = ("black", "white")  # by seat
COLUMNS = "abcdefghjklmnopqrstu"  # without i
RESPONSE = re.compile(r"(?P<sign>[=?])(?P<id>[0-9]{1,9})(?:\s+(?P<text>.*))?")
VERTEX = re.compile(rf"(?P<column>[{COLUMNS}])(?P<row>[1-9][0-9]?)")
REVERSI_START = "---------------------------OX------XO--------------------------- X"
SETS_BOARD = "setup_board"  # the end of the command's name: gtp-rhino has grhino-setup_board
UNTIMED_S = 1


class GtpProtocol(EngineProtocol):
    """Each command has a number, by which its response is known."""

    protocol, hello, ready = "GTP, version 2", "=", "="

    def __init__(self, options: Sequence[tuple[str, str]] = ()) -> None:
        """options: commands of the engine's own with their arguments, sent once: `level=3`."""
        self.name, self._options = "", options
        self._number, self._response_number = 0, 0  # of the last command, and of the response that is being read
        self._commands: set[str] = set()
        self._game = FollowedGame()
        self._request = MoveRequest(match=0, game="", seat=0, ply=0, position="", history_position="")
        self._needed = dict[int, str]()  # the commands of this question that must not fail, by their numbers

    def greeting(self) -> list[str]:
        """See `EngineProtocol.greeting`."""
        return self._numbered("name", "list_commands")

    def is_greeted(self, line: str) -> bool:
        """See `EngineProtocol.is_greeted`: an empty line ends the list of its commands."""
        response = RESPONSE.fullmatch(line)
        if response is not None:
            self._response_number, line = int(response["id"]), (response["text"] or "").strip()
            if self._response_number == 1 and response["sign"] == "=":
                self.name = line
        if self._response_number == 2:
            self._commands.add(line)
        if self._response_number != 2 or line or response is not None:
            return False
        if unknown := [name for name, _ in self._options if name not in self._commands]:
            raise EngineProtocolError(f"has no command {unknown[0]!r}")
        return True

    def settings(self) -> list[str]:
        """See `EngineProtocol.settings`."""
        return self._numbered(*(f"{name} {value}".rstrip() for name, value in self._options))

    def new_game(self, game: str) -> list[str]:
        """See `EngineProtocol.new_game`."""
        self._game.forget()
        return self._numbered("clear_board")

    def is_ready(self, line: str) -> bool:
        """See `EngineProtocol.is_ready`."""
        response = RESPONSE.fullmatch(line)
        return response is not None and int(response["id"]) == self._number

    def search(self, request: MoveRequest) -> list[str]:
        """See `EngineProtocol.search`."""
        self._request = request
        move, colour = self._game.next_move(request), COLOURS[request.seat]
        settings = [] if move is not None else self._time_settings(request)
        board = self._set_up(request) if move is None else [_play(1 - request.seat, move)]
        clocks = self._clocks(request)
        lines = self._numbered(*settings, *clocks, *board, f"genmove {colour}")
        # some engines pass by themselves, and refuse a command for it
        needed = zip(range(self._number - len(board), self._number + 1), [*board, f"genmove {colour}"], strict=True)
        self._needed = {number: command for number, command in needed if not command.endswith(PASS_TEXT)}
        return lines

    def read_reply(self, line: str) -> MoveReply | None:
        """See `EngineProtocol.read_reply`."""
        response = RESPONSE.fullmatch(line)
        if response is None or int(response["id"]) not in self._needed:
            return None
        text = (response["text"] or "").strip()
        if response["sign"] == "?":
            command = self._needed[int(response["id"])]
            self._needed = {}
            self._game.forget()
            return MoveReply(move="", text=f"? {text} (to {command})")
        if int(response["id"]) != self._number:
            return None
        if text.casefold() == "resign":
            return MoveReply(move="", resign=True)
        self._game.answered(self._request)
        move = _move(text)
        return MoveReply(move=move, pv=(move,))

    def _numbered(self, *commands: str) -> list[str]:
        first = self._number + 1
        self._number += len(commands)
        return [f"{number} {command}" for number, command in enumerate(commands, first)]

    def _set_up(self, request: MoveRequest) -> list[str]:
        """The board before `history_moves`, and these."""
        board, text = read_board(request.history_position), request.history_position
        columns, rows = board.sides
        size = f"boardsize {columns}" if columns == rows else f"rectangular_boardsize {columns} {rows}"
        if text != REVERSI_START and len(text.split()) == 2:
            stones = [self._board_command(board)]
        elif text == REVERSI_START:
            stones = []
        else:
            stones = [_play(seat, square_text(x, y)) for x, y, seat in board.in_turns()]
        moves = [_play((board.seat + at) % 2, move) for at, move in enumerate(request.history_moves)]
        return [size, "clear_board", *stones, *moves]

    def _board_command(self, board: Board) -> str:
        command = next((name for name in sorted(self._commands) if name.endswith(SETS_BOARD)), None)
        if command is None:
            raise EngineProtocolError(f"has no command {SETS_BOARD}, so it plays reversi from the usual start only")
        return f"{command} {board.cells} {COLOURS[board.seat]}"

    def _time_settings(self, request: MoveRequest) -> list[str]:
        control, name = parse(request.time_control), "time_settings"
        if name not in self._commands:
            return []
        seconds = max(1, control.base_ms // 1000)
        if request.remaining_ms is None:
            return [f"{name} 0 {UNTIMED_S} 1"]
        if control.kind is ControlKind.PER_MOVE:
            return [f"{name} 0 {seconds} 1"]
        return [f"{name} 0 {seconds} {control.moves}" if control.moves else f"{name} {seconds} 0 0"]

    def _clocks(self, request: MoveRequest) -> list[str]:
        own = request.remaining_ms
        if own is None or "time_left" not in self._commands:
            return []
        other = own if request.opponent_ms is None else request.opponent_ms
        moves = request.moves_to_go or int(parse(request.time_control).kind is ControlKind.PER_MOVE)
        left = [(request.seat, own), (1 - request.seat, other)]
        return [f"time_left {COLOURS[seat]} {ms // 1000} {moves}" for seat, ms in left]


def _play(seat: int, move: str) -> str:
    if move == PASS_TEXT:
        return f"play {COLOURS[seat]} pass"
    column, row = square_of(move)
    return f"play {COLOURS[seat]} {COLUMNS[column].upper()}{row + 1}"


def _move(text: str) -> str:
    """The move of a vertex; other text unchanged."""
    found = VERTEX.fullmatch(text.casefold())
    return square_text(COLUMNS.index(found["column"]), int(found["row"]) - 1) if found else text.casefold()
