"""What all players that are other programs share: start, one new start after a crash, time limits, hang-up."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import TypeVar

from bots.adapters.program import Program, ProgramError
from bots.think import ThinkMatch, ThinkRequest, Thought

START_S = 10.0  # to answer the first words
READY_S = 5.0  # to be ready for a match
LONGEST_MARGIN_S, MARGIN_SHARE = 0.05, 0.1  # of the budget: then it is told to answer
T = TypeVar("T")


class EnginePlayer:
    """Owns the program and the clock; a subclass knows the protocol."""

    protocol: str = ""

    def __init__(self, command: tuple[str, ...], start_s: float = START_S, ready_s: float = READY_S) -> None:
        """command: program and arguments.  start_s, ready_s: seconds it may take to start and to get ready."""
        self._command, self._start_s, self._ready_s = command, start_s, ready_s
        self._program: Program | None = None
        self._match: ThinkMatch | None = None

    def new_match(self, match: ThinkMatch) -> None:
        """Start the program if it does not run, and tell it that another match begins. Raises ProgramError."""
        self._match = match
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
                self._say_stop(program)

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
        thought = self._think(self._running(), request, deadline_s)
        legal = request.legal_moves
        if not thought.move or (legal is not None and thought.move not in legal):
            raise ProgramError(f"{self._running().name!r} answered {thought.move!r}, which is no legal move")
        return thought

    def _running(self) -> Program:
        if self._program is None:
            self._program = Program(self._command)
            self._greet(self._program)
        return self._program

    def _wait(self, program: Program, wanted: Callable[[str], T | None], deadline_s: float, what: str) -> T:
        """What `wanted` makes of the first line that it does not answer with None. Raises ProgramError."""
        while True:
            line = program.read(deadline_s)
            if line is None:
                raise ProgramError(
                    f"{program.name!r} did not say {what} in time: is it a program that speaks {self.protocol}?"
                )
            found = wanted(line)
            if found is not None:
                return found

    def _greet(self, program: Program) -> None:
        """The first words. Raises ProgramError."""
        raise NotImplementedError

    def _begin(self, program: Program) -> None:
        """Another match begins. Raises ProgramError."""
        raise NotImplementedError

    def _think(self, program: Program, request: ThinkRequest, deadline_s: float) -> Thought:
        """Ask for a move. Raises ProgramError."""
        raise NotImplementedError

    def _say_stop(self, program: Program) -> None:
        """Tell a thinking program to answer; nothing where the protocol has no word for it."""


def margin_s(budget_s: float) -> float:
    """How long before the end of its budget a program is told to answer."""
    return min(LONGEST_MARGIN_S, MARGIN_SHARE * budget_s)
