"""An engine that plays one game after another on an event loop, without a thread or a process between.

    engine = ExternalEngine(command, protocol, on_lost)
    await engine.new_game("chess")          # starts it if it does not run; no clock should run meanwhile
    engine.ask(request, on_answer)          # `on_answer(reply, seconds)` is called when the move comes
    engine.ponder(expected)                 # if it wants to: it thinks on until the next question
    await engine.new_game("chess")          # ends a search whose answer is no longer needed
    await engine.close()

No clock is kept here; the caller has one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from tabiya.bots.adapters.engine_process import EngineProcess, ProgramError
from tabiya.bots.adapters.engine_protocol import EngineProtocol, EngineProtocolError
from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tabiya.bots.players.api import MoveReply, MoveRequest

START_S = 10.0  # to answer the first words
READY_S = 60.0  # to be ready for a match: some compile first, or read much
STOP_S = 1.0  # to answer when told to stop after the game

OnAnswer = Callable[[MoveReply, float], object]
"""Called with the answer and the seconds that it took."""


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
        core: int | None = None,
    ) -> None:
        """protocol: makes the state of one process.  on_lost: called when the process ends during a search.

        start_s, ready_s: seconds it may take to start and to get ready.  reaper: kills it if this process is killed.
        core: the one it runs on, None for any.
        """
        self._command, self._make_protocol, self.on_lost = command, protocol, on_lost
        self._start_s, self._ready_s, self._reaper = start_s, ready_s, reaper
        self._core = core
        self._protocol = protocol()
        self._process: EngineProcess | None = None
        self._dying: EngineProcess | None = None  # has ended or was killed for its behaviour; not yet seen to be gone
        self._start_lock = asyncio.Lock()  # a game may end while the process starts again: the next one waits for that
        self._awaited: tuple[Callable[[str], bool], asyncio.Future[None]] | None = None
        self._on_answer: OnAnswer | None = None
        self._asked_s = 0.0
        self._ahead: MoveRequest | None = None  # the request it ponders
        self._ends_ahead = False  # it was told to stop pondering, and has not answered yet
        self._held: MoveRequest | None = None  # the request to send after that answer
        self.starts = self.crashes = self.hangs = 0

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
        """Whether it can be asked."""
        return self._process is not None

    async def new_game(self, game: str) -> None:
        """Start the program if it does not run, and tell it that another game begins. Raises ProgramError.

        game: its registered name.
        """
        async with self._start_lock:
            try:
                await self._end_search()
                if not self._protocol.reusable:
                    await self.close()
                if self._process is None:
                    await self.kill()
                    await self._start()
                await self._get_ready(game)
            except ProgramError:
                await self.kill()  # in whatever state it is, the next game begins with another
                raise

    def ask(self, request: MoveRequest, on_answer: OnAnswer) -> None:
        """Ask for a move. Without a running process `on_lost` is called at once."""
        self._on_answer, self._asked_s = on_answer, time.monotonic()
        ahead = self._ahead
        if self._process is None:
            self._on_exit(ProgramError(f"{self._command[0]!r} does not run"))
        elif ahead is not None and (ahead.ply, ahead.position) == (request.ply, request.position):
            self._ahead = None
            self._process.write(self._protocol.ponder_hit())
        else:
            self.end_pondering()
            if self._ends_ahead:
                self._held = request
            else:
                self._search(self._process, request)

    def _search(self, process: EngineProcess, request: MoveRequest) -> None:
        try:
            process.write(self._protocol.search(request))
        except EngineProtocolError as error:
            process.fail(str(error))

    def ponder(self, request: MoveRequest) -> None:
        """Let it ponder the expected request until the next `ask`. Only after an answer."""
        if self._process is not None and not self._ends_ahead:
            self._ahead = request
            self._process.write(self._protocol.ponder(request))

    def end_pondering(self) -> None:
        """End its pondering."""
        if self._process is not None and self._ahead is not None:
            self._ahead, self._ends_ahead = None, True
            self._process.write(self._protocol.stop())

    def game_over(self) -> None:
        """Stop it until the next game, so that it takes no time from other games."""
        self.end_pondering()
        if self._process is not None and self._on_answer is None and (words := self._protocol.game_over()):
            self._process.write(words)

    def stop(self) -> None:
        """Tell it to answer now, in a protocol with a word for it."""
        if self._process is not None and self._on_answer is not None and (words := self._protocol.stop()):
            self._process.write(words)

    async def close(self) -> None:
        """End the program in good order."""
        process, self._process, self._on_answer = self._process, None, None
        if process is not None:
            await process.close(self._protocol.farewell)
        await self.kill()

    async def kill(self) -> None:
        """End the program at once; the next game starts it again."""
        self._forget_pondering()
        dying, self._dying, self._on_answer = self._process or self._dying, None, None
        self._process = None
        if self._awaited is not None and not self._awaited[1].done():  # a start waits no longer
            self._awaited[1].set_exception(ProgramError(f"{self._command[0]!r} has been ended"))
        if dying is not None:
            await dying.kill()

    async def _start(self) -> None:
        self.starts += 1
        protocol = self._protocol = self._make_protocol()
        self._process = await EngineProcess.start(
            self._command, self._on_line, self._on_exit, self._reaper, core=self._core
        )
        await self._send_and_wait(
            protocol.greeting(), protocol.is_greeted, self._start_s, protocol.hello, protocol.more_time_s
        )
        if settings := protocol.settings():
            self._process.write(settings)

    async def _get_ready(self, game: str) -> None:
        protocol, process = self._protocol, self._process
        assert process is not None
        try:
            lines = protocol.new_game(game)
        except EngineProtocolError as error:
            raise ProgramError(f"{process.name!r} {error}") from None
        if protocol.says_ready:
            await self._send_and_wait(lines, protocol.is_ready, self._ready_s, protocol.ready)
        else:
            process.write(lines)

    async def _end_search(self) -> None:
        """End a search of the previous game; a program that does not stop is killed."""
        self.end_pondering()
        if self._process is None or (self._on_answer is None and not self._ends_ahead):
            return
        self._forget_pondering()  # its answer is waited for like any other
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.stop()
        self._on_answer = lambda reply, seconds: None if over.done() else over.set_result(None)
        await asyncio.wait([over, self._process.ended], timeout=STOP_S, return_when=asyncio.FIRST_COMPLETED)
        if not over.done():
            self.hangs += 1
            await self.kill()

    async def _send_and_wait(
        self,
        lines: list[str],
        accepts: Callable[[str], bool],
        seconds: float,
        word: str,
        more_time_s: Callable[[], float | None] = lambda: None,
    ) -> None:
        """word: that is waited for, for the message.  more_time_s: see `EngineProtocol.more_time_s`."""
        process = self._process
        assert process is not None
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited = accepts, done
        process.write(lines)
        try:
            await asyncio.wait([done], timeout=seconds)
            more_s = None if done.done() else more_time_s()
            if more_s is not None:
                await asyncio.wait([done], timeout=more_s)
            if done.done():
                done.result()
            elif more_s != 0:
                raise ProgramError(
                    f"{process.name!r} did not say {word} within {seconds + (more_s or 0):g} s: is it a program that "
                    f"speaks {self._protocol.protocol}?"
                )
        except EngineProtocolError as error:
            raise ProgramError(f"{process.name!r} {error}") from None
        finally:
            self._awaited = None

    def _forget_pondering(self) -> None:
        self._ahead, self._ends_ahead, self._held = None, False, None

    def _on_line(self, line: str) -> None:
        if self._ahead is not None or self._ends_ahead:
            # an answer without a request: it was stopped, or answers too early
            if self._protocol.read_reply(line) is not None:
                held = self._held
                self._forget_pondering()
                if held is not None and self._process is not None:
                    self._search(self._process, held)
        elif self._on_answer is not None:
            reply = self._protocol.read_reply(line)
            if reply is not None:
                on_answer, self._on_answer = self._on_answer, None
                on_answer(reply, time.monotonic() - self._asked_s)
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
        self._forget_pondering()
        self._dying, self._process = self._process, None
        if self._awaited is not None and not self._awaited[1].done():
            self._awaited[1].set_exception(error)
        elif self._on_answer is not None:
            self._on_answer = None
            self.on_lost(error)
