"""NBoard as an `EngineProtocol`. The whole game is set before each move."""

from __future__ import annotations

from collections.abc import Sequence

from tabiya.bots.adapters.engine_protocol import EngineProtocol, EngineProtocolError
from tabiya.bots.adapters.nboard_text import game_line, read_move
from tabiya.bots.players.api import MoveReply, MoveRequest

DEPTH, DEEPEST = 10, 60  # NBoard has a depth and no time for one move; the clock goes with the game
DEPTHS = frozenset(map(str, range(1, DEEPEST + 1)))
NAME = "set myname "


class NBoardProtocol(EngineProtocol):
    """Pings stand for readiness: everything said before has been done when the answer comes."""

    protocol, hello, ready = "NBoard", "pong", "pong"

    def __init__(self, options: Sequence[tuple[str, str]] = (), depth: int = DEPTH) -> None:
        """options: `depth`, for which the protocol has a word, is the only one. Raises EngineProtocolError."""
        self.name, self._pings, self._depth = "", 0, depth
        for name, value in options:
            if name.casefold() != "depth" or value not in DEPTHS:
                raise EngineProtocolError(f"takes one option, depth=1 to depth={DEEPEST}, not {name}={value}")
            self._depth = int(value)

    def greeting(self) -> list[str]:
        """See `EngineProtocol.greeting`."""
        return ["nboard 2", self._ping()]

    def is_greeted(self, line: str) -> bool:
        """See `EngineProtocol.is_greeted`."""
        if line.startswith(NAME):
            self.name = line.removeprefix(NAME)
        return self.is_ready(line)

    def new_game(self, game: str) -> list[str]:
        """See `EngineProtocol.new_game`."""
        return [f"set depth {self._depth}", self._ping()]

    def is_ready(self, line: str) -> bool:
        """See `EngineProtocol.is_ready`."""
        return line == f"pong {self._pings}"

    def search(self, request: MoveRequest) -> list[str]:
        """See `EngineProtocol.search`."""
        return [game_line(request), "go"]

    def read_reply(self, line: str) -> MoveReply | None:
        """See `EngineProtocol.read_reply`."""
        found = read_move(line)
        return None if found is None else MoveReply(move=found.move, score=found.score, pv=(found.move,))

    def _ping(self) -> str:
        self._pings += 1
        return f"ping {self._pings}"
