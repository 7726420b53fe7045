"""An engine that plays one game after another on an event loop, without a thread or a process between.

    engine = LoopEngine(command, dialect, lost)
    await engine.new_game()                 # starts it if it does not run; no clock should run meanwhile
    engine.ask(request, answered)           # `answered(thought)` is called when the move comes
    await engine.new_game()                 # a thought that nobody waits for any more is ended first
    await engine.close()

A clock is not kept here: who asks has one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from tabiya.bots.adapters.async_program import LoopProgram
from tabiya.bots.adapters.engine_player import READY_S, START_S
from tabiya.bots.adapters.engine_protocol import Dialect, DialectError
from tabiya.bots.adapters.orphan_reaper import Guard
from tabiya.bots.adapters.program import ProgramError
from tabiya.bots.players.api import ThinkRequest, Thought

STOP_S = 1.0  # to answer when told to stop after the game

Answered = Callable[[Thought, float], object]
"""Is called with the thought and the seconds that it took."""


class LoopEngine:
    """One program at a time: a new one when the last has died."""

    def __init__(
        self,
        command: tuple[str, ...],
        dialect: Callable[[], Dialect],
        lost: Callable[[ProgramError], object],
        start_s: float = START_S,
        ready_s: float = READY_S,
        guard: Guard | None = None,
    ) -> None:
        """dialect: makes that of a program just started.  lost: is told when the program ends in a thought.

        start_s, ready_s: seconds it may take to start and to get ready.  guard: ends it should this process be killed.
        """
        self._command, self._make_dialect, self.lost = command, dialect, lost
        self._start_s, self._ready_s, self._guard = start_s, ready_s, guard
        self._dialect = dialect()
        self._program: LoopProgram | None = None
        self._dying: LoopProgram | None = None  # ended by itself or for its behaviour; not yet seen to be gone
        self._beginning = asyncio.Lock()  # a game that ends while the program starts anew: the next one waits for that
        self._awaited: tuple[Callable[[str], bool], asyncio.Future[None]] | None = None
        self._answered: Answered | None = None
        self._asked_s = 0.0
        self.starts = 0

    @property
    def name(self) -> str:
        """As the program calls itself, or as its file is called."""
        return self._dialect.name or self._command[0]

    @property
    def pid(self) -> int | None:
        """Of the process, None while there is none."""
        return None if self._program is None else self._program.pid

    async def new_game(self) -> None:
        """Start the program if it does not run, and tell it that another game begins. Raises ProgramError."""
        async with self._beginning:
            try:
                await self._settle()
                if self._program is None:
                    await self.kill()
                    await self._start()
                await self._say_and_wait(self._dialect.new_game(), self._dialect.is_ready, self._ready_s, "ready")
            except ProgramError:
                await self.kill()
                raise

    def ask(self, request: ThinkRequest, answered: Answered) -> None:
        """Ask for a move. Without a running program `lost` is told at once."""
        self._answered, self._asked_s = answered, time.monotonic()
        if self._program is None:
            self._gone(ProgramError(f"{self._command[0]!r} does not run"))
        else:
            self._program.write(self._dialect.question(request))

    def stop(self) -> None:
        """Tell it to answer, in a protocol with a word for it."""
        if self._program is not None and self._answered is not None and (words := self._dialect.stop()):
            self._program.write(words)

    async def close(self) -> None:
        """End the program in good order."""
        program, self._program, self._answered = self._program, None, None
        if program is not None:
            await program.close()
        await self.kill()

    async def kill(self) -> None:
        """End the program at once; the next game starts it anew."""
        dying, self._dying, self._answered = self._program or self._dying, None, None
        self._program = None
        if dying is not None:
            await dying.kill()

    async def _start(self) -> None:
        self.starts += 1
        dialect = self._dialect = self._make_dialect()
        self._program = await LoopProgram.start(self._command, self._hear, self._gone, self._guard)
        await self._say_and_wait(dialect.greeting(), dialect.is_greeted, self._start_s, "hello")
        if settings := dialect.settings():
            self._program.write(settings)

    async def _settle(self) -> None:
        """End a thought of the game before; a program that does not let go of it is killed."""
        if self._program is None or self._answered is None:
            return
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.stop()
        self._answered = lambda thought, seconds: None if over.done() else over.set_result(None)
        await asyncio.wait([over, self._program.ended], timeout=STOP_S, return_when=asyncio.FIRST_COMPLETED)
        if not over.done():
            await self.kill()

    async def _say_and_wait(self, lines: list[str], said: Callable[[str], bool], seconds: float, what: str) -> None:
        program = self._program
        assert program is not None
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited = said, done
        program.write(lines)
        try:
            await asyncio.wait_for(done, seconds)
        except DialectError as error:
            raise ProgramError(f"{program.name!r} {error}") from None
        except TimeoutError:
            word = self._dialect.hello if what == "hello" else self._dialect.ready
            raise ProgramError(
                f"{program.name!r} did not say {word} in time: is it a program that speaks {self._dialect.protocol}?"
            ) from None
        finally:
            self._awaited = None

    def _hear(self, line: str) -> None:
        if self._answered is not None:
            thought = self._dialect.answer(line)
            if thought is not None:
                answered, self._answered = self._answered, None
                answered(thought, time.monotonic() - self._asked_s)
        elif self._awaited is not None:
            said, done = self._awaited
            try:
                if said(line) and not done.done():
                    done.set_result(None)
            except DialectError as error:
                if not done.done():
                    done.set_exception(error)

    def _gone(self, error: ProgramError) -> None:
        self._dying, self._program = self._program, None
        if self._awaited is not None and not self._awaited[1].done():
            self._awaited[1].set_exception(error)
        elif self._answered is not None:
            self._answered = None
            self.lost(error)
