"""A program as a `Player`: its engine runs on an event loop of its own, and the caller's thread waits for the move."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import PurePath
from queue import Empty, SimpleQueue
from typing import Any

from msgspec.structs import replace

from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.adapters.engine_protocol import EngineProtocol
from tabiya.bots.adapters.external_engine import READY_S, START_S, ExternalEngine
from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tabiya.bots.adapters.uci_protocol import margin_s
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest, shortened


@functools.cache
def _engine_loop() -> asyncio.AbstractEventLoop:
    """The event loop of all engines of this process, in a thread that ends with it."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="engines", daemon=True).start()
    return loop


class ExternalEnginePlayer:
    """Keeps the clock, starts the program once more after a crash, and ends one that hangs."""

    def __init__(
        self,
        command: tuple[str, ...],
        protocol: Callable[[], EngineProtocol],
        start_s: float = START_S,
        ready_s: float = READY_S,
    ) -> None:
        """As for ExternalEngine. Raises what `protocol` raises for options that it does not know."""
        self._name, self._can_stop = PurePath(command[0]).name, bool(protocol().stop())
        self._loop, self._reaper = _engine_loop(), OrphanReaper()
        self._engine = ExternalEngine(command, protocol, self._on_lost, start_s, ready_s, self._reaper)
        # A queue and no future: its `get` waits in C, which halves what a move costs beside the engine's own time.
        self._answers: SimpleQueue[MoveReply | ProgramError] = SimpleQueue()

    def new_match(self, match: MatchInfo) -> None:
        """Start the program if it does not run, and tell it that another match begins. Raises ProgramError."""
        self._wait_for(self._engine.new_game(match.game))

    def choose(self, request: MoveRequest) -> MoveReply:
        """The program's move. A program that dies is started once more; one that hangs is ended.

        Raises ProgramError: it cannot be started, says nothing in time, or answers with no legal move.
        """
        deadline_s, crashes = time.monotonic() + request.budget_s, self._engine.crashes
        try:
            return self._try_once(request, deadline_s)
        except ProgramError:
            self._wait_for(self._engine.kill())
            if self._engine.crashes == crashes or time.monotonic() >= deadline_s:
                raise
        try:
            return self._try_once(request, deadline_s)
        except ProgramError:
            self._wait_for(self._engine.kill())
            raise

    def stop(self) -> None:
        """Tell the program to answer. May be called by another thread, as `kill` may."""
        self._loop.call_soon_threadsafe(self._engine.stop)

    def close(self) -> None:
        """End the program in good order."""
        self._end(self._engine.close())

    def kill(self) -> None:
        """End the program at once; the next question starts it again."""
        self._end(self._engine.kill())

    def _end(self, ending: Coroutine[Any, Any, None]) -> None:
        self._wait_for(ending)
        self._answers.put(ProgramError(f"{self._name!r} has been ended"))
        self._loop.call_soon_threadsafe(self._reaper.close)  # the loop's thread uses it, too

    def _wait_for(self, coroutine: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _try_once(self, request: MoveRequest, deadline_s: float) -> MoveReply:
        if self._engine.pid is None:
            self._wait_for(self._engine.new_game(request.game))
            left_s = deadline_s - time.monotonic()  # the start was on the clock, and so was a life before it
            if left_s <= 0:
                raise ProgramError(f"{self._name!r} did not answer: the time for its move was used up by its start")
            request = shortened(request, left_s, request.budget_s - left_s)
        reply = self._search(request, deadline_s)
        legal = request.legal_moves
        if reply.resign:
            return reply
        if not reply.move or (legal is not None and reply.move not in legal):
            raise ProgramError(f"{self._name!r} answered {reply.move or reply.text!r}, which is not a legal move")
        return reply

    def _search(self, request: MoveRequest, deadline_s: float) -> MoveReply:
        """Ask for a move; shortly before the deadline tell the program to answer at once. Raises ProgramError."""
        answers = self._answers = SimpleQueue()
        self._loop.call_soon_threadsafe(self._engine.ask, request, self._on_answer)
        answer = _wait(answers, deadline_s - margin_s(request.budget_s))
        if answer is None and self._can_stop:
            self.stop()
            answer = _wait(answers, deadline_s)
        if answer is None:
            also = ", nor when told to stop" if self._can_stop else ""
            raise ProgramError(f"{self._name!r} did not answer in {request.budget_s:.3g} s{also}")
        if isinstance(answer, ProgramError):
            raise answer
        return answer

    def _on_answer(self, reply: MoveReply, seconds: float) -> None:
        self._answers.put(replace(reply, time_ms=round(seconds * 1000)))

    def _on_lost(self, error: ProgramError) -> None:
        self._answers.put(error)


def _wait(answers: SimpleQueue[MoveReply | ProgramError], deadline_s: float) -> MoveReply | ProgramError | None:
    """The next answer, None if none comes before `deadline_s` of time.monotonic()."""
    try:
        return answers.get(timeout=max(0.0, deadline_s - time.monotonic()))
    except Empty:
        return None
