"""Any NBoard engine as a player."""

from __future__ import annotations

import time

from bots.adapters.engine_player import EnginePlayer, margin_s
from bots.adapters.nboard_text import game_line, read_move
from bots.adapters.program import Program
from bots.think import ThinkRequest, Thought

DEPTH = 10  # NBoard has a depth and no time for one move; the clock goes with the game


class NBoardPlayer(EnginePlayer):
    """The whole game is set before each move."""

    protocol = "NBoard"

    def __init__(self, command: tuple[str, ...], depth: int = DEPTH, **seconds: float) -> None:
        super().__init__(command, **seconds)
        self._depth, self._pings = depth, 0

    def _greet(self, program: Program) -> None:
        program.write("nboard 2")
        self._ping(program, self._start_s)

    def _begin(self, program: Program) -> None:
        program.write(f"set depth {self._depth}")
        self._ping(program, self._ready_s)

    def _ping(self, program: Program, seconds: float) -> None:
        """Everything said before has been done when the answer comes."""
        self._pings += 1
        word = f"pong {self._pings}"
        program.write(f"ping {self._pings}")
        self._wait(program, lambda line: True if line == word else None, time.monotonic() + seconds, word)

    def _think(self, program: Program, request: ThinkRequest, deadline_s: float) -> Thought:
        started_s = time.monotonic()
        program.write(game_line(request))
        program.write("go")
        found = self._wait(program, read_move, deadline_s - margin_s(request.budget_s), "a move")
        spent_ms = round((time.monotonic() - started_s) * 1000)
        return Thought(move=found.move, score=found.score, pv=(found.move,), time_ms=spent_ms)
