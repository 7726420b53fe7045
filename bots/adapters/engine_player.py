"""Programs as players that a thread waits for: start, one new start after a crash, time limits, hang-up."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from tabiya.bots.adapters.engine_protocol import Dialect, DialectError
from tabiya.bots.adapters.program import Program, ProgramError
from tabiya.bots.adapters.uci_protocol import margin_s
from tabiya.bots.players.api import ThinkMatch, ThinkRequest, Thought, shortened

START_S = 10.0  # to answer the first words
READY_S = 60.0  # to be ready for a match: some compile first, or read much
T = TypeVar("T")


class EnginePlayer:
    """Owns the program and the clock; a dialect knows the protocol."""

    def __init__(
        self,
        command: tuple[str, ...],
        dialect: Callable[[], Dialect],
        start_s: float = START_S,
        ready_s: float = READY_S,
    ) -> None:
        """command: program and arguments.  dialect: makes that of a program just started.

        start_s, ready_s: seconds it may take to start and to get ready.
        """
        self._command, self._make_dialect, self._start_s, self._ready_s = command, dialect, start_s, ready_s
        self._program: Program | None = None
        self._dialect = dialect()

    def new_match(self, match: ThinkMatch) -> None:
        """Start the program if it does not run, and tell it that another match begins. Raises ProgramError."""
        try:
            self._begin(self._running())
        except ProgramError:
            self.kill()
            raise

    def choose(self, request: ThinkRequest) -> Thought:
        """The program's move. A program that dies is started once more; one that hangs is ended.

        Raises ProgramError: it cannot be started, says nothing in time, or answers with no legal move.
        """
        deadline_s = time.monotonic() + request.budget_s
        try:
            return self._once(request, deadline_s)
        except ProgramError:
            died = self._program is not None and self._program.has_ended
            self.kill()
            if not died or time.monotonic() >= deadline_s:
                raise
        try:
            return self._once(request, deadline_s)
        except ProgramError:
            self.kill()
            raise

    def stop(self) -> None:
        """Tell the program to answer."""
        program = self._program
        if program is not None:
            with contextlib.suppress(ProgramError):
                _say(program, self._dialect.stop())

    def close(self) -> None:
        """End the program in good order."""
        program, self._program = self._program, None
        if program is not None:
            program.close()

    def kill(self) -> None:
        """End the program at once; the next question starts it anew."""
        program, self._program = self._program, None
        if program is not None:
            program.kill()

    def _once(self, request: ThinkRequest, deadline_s: float) -> Thought:
        if self._program is None:
            self._begin(self._running())
            left_s = max(0.0, deadline_s - time.monotonic())  # the start was on the clock, and so was a life before it
            request = shortened(request, left_s, request.budget_s - left_s)
        thought = self._think(self._running(), request, deadline_s)
        legal = request.legal_moves
        if not thought.move or (legal is not None and thought.move not in legal):
            raise ProgramError(f"{self._running().name!r} answered {thought.move!r}, which is no legal move")
        return thought

    def _running(self) -> Program:
        if self._program is None:
            program = self._program = Program(self._command)
            dialect = self._dialect = self._make_dialect()
            _say(program, dialect.greeting())
            try:
                self._until(program, dialect.is_greeted, self._start_s, dialect.hello)
            except DialectError as error:
                raise ProgramError(f"{program.name!r} {error}") from None
            _say(program, dialect.settings())
        return self._program

    def _begin(self, program: Program) -> None:
        """Another match begins. Raises ProgramError."""
        _say(program, self._dialect.new_game())
        self._until(program, self._dialect.is_ready, self._ready_s, self._dialect.ready)

    def _until(self, program: Program, said: Callable[[str], bool], seconds: float, what: str) -> None:
        if self._wait(program, lambda line: said(line) or None, time.monotonic() + seconds) is None:
            raise ProgramError(
                f"{program.name!r} did not say {what} in time: is it a program that speaks {self._dialect.protocol}?"
            )

    def _wait(self, program: Program, wanted: Callable[[str], T | None], deadline_s: float) -> T | None:
        """What `wanted` makes of the first line that it does not answer with None; None at the deadline.

        Raises ProgramError.
        """
        while (line := program.read(deadline_s)) is not None:
            found = wanted(line)
            if found is not None:
                return found
        return None

    def _think(self, program: Program, request: ThinkRequest, deadline_s: float) -> Thought:
        """Ask for a move, and shortly before the deadline for whatever move there is. Raises ProgramError."""
        dialect, started_s = self._dialect, time.monotonic()
        _say(program, dialect.question(request))
        thought = self._wait(program, dialect.answer, deadline_s - margin_s(request.budget_s))
        if thought is None and dialect.stop():
            _say(program, dialect.stop())
            thought = self._wait(program, dialect.answer, deadline_s)
        if thought is None:
            told = ", nor when told to stop" if dialect.stop() else ""
            raise ProgramError(f"{program.name!r} did not answer in {request.budget_s:.3g} s{told}")
        return replace(thought, time_ms=round((time.monotonic() - started_s) * 1000))


def _say(program: Program, lines: list[str]) -> None:
    """Raises ProgramError."""
    for line in lines:
        program.write(line)
