"""Any UCI engine as a player."""

from __future__ import annotations

import time

from bots.adapters.engine_player import EnginePlayer, margin_s
from bots.adapters.program import Program, ProgramError
from bots.adapters.uci_text import UciInfo, best_move, go_line, position_line, read_info
from bots.think import ThinkRequest, Thought

UNTIMED_MS = 1_000


class UciPlayer(EnginePlayer):
    """Positions go as FEN and moves, clocks as wtime and btime; a per-move time as movetime."""

    protocol = "UCI"

    def _greet(self, program: Program) -> None:
        program.write("uci")
        self._until(program, "uciok", self._start_s)

    def _begin(self, program: Program) -> None:
        program.write("ucinewgame")
        program.write("isready")
        self._until(program, "readyok", self._ready_s)

    def _until(self, program: Program, word: str, seconds: float) -> None:
        self._wait(program, lambda line: True if line == word else None, time.monotonic() + seconds, word)

    def _think(self, program: Program, request: ThinkRequest, deadline_s: float) -> Thought:
        started_s = time.monotonic()
        program.write(position_line(request))
        program.write(go_line(request, movetime_ms(request)))
        info, told = UciInfo(), False
        stop_s = deadline_s - margin_s(request.budget_s)
        while True:
            line = program.read(deadline_s if told else stop_s)
            if line is None and told:
                raise ProgramError(
                    f"{program.name!r} did not answer in {request.budget_s:.3g} s, nor when told to stop"
                )
            if line is None:
                program.write("stop")
                told = True
                continue
            info = read_info(line, info)
            move = best_move(line)
            if move is not None:
                return Thought(
                    move=move,
                    depth=info.depth,
                    score=info.score,
                    nodes=info.nodes,
                    pv=info.pv if info.pv[:1] == (move,) else (move,),
                    time_ms=round((time.monotonic() - started_s) * 1000),
                )

    def _say_stop(self, program: Program) -> None:
        program.write("stop")


def movetime_ms(request: ThinkRequest) -> int | None:
    """Milliseconds for this move alone; None when the engine is to manage the clocks."""
    budget_ms = int((request.budget_s - margin_s(request.budget_s)) * 1000)
    if request.remaining_ms is None:
        return min(UNTIMED_MS, budget_ms)
    return budget_ms if request.time_control.endswith("/move") else None
