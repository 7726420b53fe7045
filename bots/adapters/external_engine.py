"""An engine that plays one game after another on an event loop, without a thread or a process between.

    engine = ExternalEngine(command, protocol, on_lost)
    await engine.new_game()                 # starts it if it does not run; no clock should run meanwhile
    engine.ask(request, on_answer)          # `on_answer(reply, seconds)` is called when the move comes
    await engine.new_game()                 # a search that nobody waits for any more is ended first
    await engine.close()

No clock is kept here; the caller has one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from tabiya.bots.adapters.engine_process import EngineProcess, ProgramError
from tabiya.bots.adapters.engine_protocol import Answer, EngineProtocol, EngineProtocolError
from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tabiya.bots.players.api import MoveReply, MoveRequest

START_S = 10.0  # to answer the first words
READY_S = 60.0  # to be ready for a match: some compile first, or read much
STOP_S = 1.0  # to answer when told to stop after the game

OnAnswer = Callable[[MoveReply, float], object]
"""Called with the answer and the seconds that it took."""


class LentEngine:
    """An engine in the hands of a thread that does nothing but play."""

    def __init__(self, process: EngineProcess, protocol: EngineProtocol) -> None:
        self._process, self._protocol = process, protocol
        process.lend()

    def ask(self, request: MoveRequest) -> None:
        """Ask for a move."""
        self._process.write(self._protocol.search(request))

    def hear(self, wait_s: float) -> Answer | None:
        """The answer, if it comes within this time. Raises EOFError when nothing can come any more."""
        answer = None
        for line in self._process.read(wait_s):
            answer = self._protocol.read_answer(line) or answer
        return answer

    def reply_of(self, answer: Answer) -> MoveReply:
        """What an answer says; in any thread."""
        return self._protocol.reply_of(answer)

    def take_back(self) -> None:
        """The thread is at its end: the event loop reads again."""
        self._process.take_back()


class ExternalEngine:
    """One process at a time: a new one when the last has died."""

    def __init__(
        self,
        command: tuple[str, ...],
        protocol: Callable[[], EngineProtocol],
        on_lost: Callable[[ProgramError], object],
        start_s: float = START_S,
        ready_s: float = READY_S,
        reaper: OrphanReaper | None = None,
        *,
        own_session: bool = True,
    ) -> None:
        """protocol: makes the state of one process.  on_lost: called when the process ends during a search.

        start_s, ready_s: seconds it may take to start and to get ready.  reaper: kills it if this process is killed.
        own_session: as of `EngineProcess.start`.
        """
        self._command, self._make_protocol, self.on_lost = command, protocol, on_lost
        self._start_s, self._ready_s, self._reaper, self._own_session = start_s, ready_s, reaper, own_session
        self._protocol = protocol()
        self._process: EngineProcess | None = None
        self._dying: EngineProcess | None = None  # has ended or was killed for its behaviour; not yet seen to be gone
        self._exit: ProgramError | None = None  # how the process has ended
        self._start_lock = asyncio.Lock()  # a game may end while the process starts anew: the next one waits for that
        self._awaited: tuple[Callable[[str], bool], asyncio.Future[None]] | None = None
        self._on_answer: OnAnswer | None = None
        self._asked_s = 0.0
        self.starts = self.crashes = 0

    @property
    def name(self) -> str:
        """As the program calls itself, or its command."""
        return self._protocol.name or self._command[0]

    @property
    def pid(self) -> int | None:
        """Of the process, None while there is none."""
        process = self._process  # another thread may ask while the loop takes note of its end
        return None if process is None else process.pid

    @property
    def is_running(self) -> bool:
        """Whether it can be asked now."""
        return self._process is not None

    @property
    def is_lent(self) -> bool:
        """Whether a thread asks and hears it."""
        return self._process is not None and self._process.is_lent

    # --- while it is lent to a thread ---

    def lend(self) -> LentEngine:
        """From now on one thread alone asks it and hears it, until it is taken back."""
        assert self._process is not None
        return LentEngine(self._process, self._protocol)

    def taken_back(self, on_answer: OnAnswer | None) -> None:
        """It is the event loop's again. on_answer: as of `ask`, if the thread has asked and not heard the answer."""
        self._on_answer, self._asked_s = on_answer, time.monotonic()
        if on_answer is not None and self._exit is not None:  # it has ended meanwhile
            self._on_answer = None
            self.on_lost(self._exit)

    async def new_game(self) -> None:
        """Start the program if it does not run, and tell it that another game begins. Raises ProgramError."""
        async with self._start_lock:
            try:
                await self._end_search()
                if self._process is None:
                    await self.kill()
                    await self._start()
                await self._send_and_wait(self._protocol.new_game(), self._protocol.is_ready, self._ready_s)
            except ProgramError:
                await self.kill()  # in whatever state it is, the next game begins with another
                raise

    def ask(self, request: MoveRequest, on_answer: OnAnswer) -> None:
        """Ask for a move. Without a running process `on_lost` is called at once."""
        self._on_answer, self._asked_s = on_answer, time.monotonic()
        if self._process is None:
            self._on_exit(ProgramError(f"{self._command[0]!r} does not run"))
        else:
            self._process.write(self._protocol.search(request))

    def stop(self) -> None:
        """Tell it to answer now, in a protocol with a word for it."""
        if self._process is not None and self._on_answer is not None and (words := self._protocol.stop()):
            self._process.write(words)

    async def close(self) -> None:
        """End the program in good order."""
        process, self._process, self._on_answer = self._process, None, None
        if process is not None:
            await process.close()
        await self.kill()

    async def kill(self) -> None:
        """End the program at once; the next game starts it anew."""
        dying, self._dying, self._on_answer = self._process or self._dying, None, None
        self._process = None
        if self._awaited is not None and not self._awaited[1].done():  # a start waits no longer
            self._awaited[1].set_exception(ProgramError(f"{self._command[0]!r} has been ended"))
        if dying is not None:
            await dying.kill()

    async def _start(self) -> None:
        self.starts += 1
        protocol = self._protocol = self._make_protocol()
        self._exit = None
        self._process = await EngineProcess.start(
            self._command, self._on_line, self._on_exit, self._reaper, own_session=self._own_session
        )
        await self._send_and_wait(protocol.greeting(), protocol.is_greeted, self._start_s, is_hello=True)
        if settings := protocol.settings():
            self._process.write(settings)

    async def _end_search(self) -> None:
        """End a search of the game before; a program that does not let go of it is killed."""
        if self._process is None or self._on_answer is None:
            return
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.stop()
        self._on_answer = lambda reply, seconds: None if over.done() else over.set_result(None)
        await asyncio.wait([over, self._process.ended], timeout=STOP_S, return_when=asyncio.FIRST_COMPLETED)
        if not over.done():
            await self.kill()

    async def _send_and_wait(
        self, lines: list[str], accepts: Callable[[str], bool], seconds: float, *, is_hello: bool = False
    ) -> None:
        process = self._process
        assert process is not None
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited = accepts, done
        process.write(lines)
        try:
            await asyncio.wait_for(done, seconds)
        except EngineProtocolError as error:
            raise ProgramError(f"{process.name!r} {error}") from None
        except TimeoutError:
            word = self._protocol.hello if is_hello else self._protocol.ready
            raise ProgramError(
                f"{process.name!r} did not say {word} in time: is it a program that speaks {self._protocol.protocol}?"
            ) from None
        finally:
            self._awaited = None

    def _on_line(self, line: str) -> None:
        if self._on_answer is not None:
            answer = self._protocol.read_answer(line)
            if answer is not None:
                on_answer, self._on_answer = self._on_answer, None
                on_answer(self._protocol.reply_of(answer), time.monotonic() - self._asked_s)
        elif self._awaited is not None:
            accepts, done = self._awaited
            try:
                if accepts(line) and not done.done():
                    done.set_result(None)
            except EngineProtocolError as error:
                if not done.done():
                    done.set_exception(error)

    def _on_exit(self, error: ProgramError) -> None:
        self.crashes += 1
        process, self._exit = self._process, error
        self._dying, self._process = process, None
        if self._awaited is not None and not self._awaited[1].done():
            self._awaited[1].set_exception(error)
        elif self._on_answer is not None and not (process is not None and process.is_lent):
            self._on_answer = None
            self.on_lost(error)
