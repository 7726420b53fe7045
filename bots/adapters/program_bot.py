"""A program in any language as a `Bot`: it reads and writes the protocol's messages, one JSON text a line.

    program:./bot              on its standard input and output
    program:node bot.mjs {url} by a websocket that stands at {url} (websocket_shim.py)

This class is the program's server and the server's client: its `hello` is answered here, the token stays here, and
only its answers to turns are passed on. So it can run in a sandbox that allows no connection.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from tabiya.bots.adapters.engine_process import EngineProcess, ProgramError
from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.spec import ADDRESS, URL
from tabiya.bots.pool.errors import WorkerError
from tabiya.bots.pool.local_process import HOME
from tabiya.bots.pool.sandbox import Sandbox, SandboxedProgram
from tabiya.protocol.codec import CodecError, Encoding, decode_client, encode
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.encodings import PROTOCOL_VERSION
from tabiya.protocol.limits import DEFAULT_LIMITS
from tabiya.protocol.messages import (
    ClientMessage,
    DrawOffer,
    Hello,
    MatchEnded,
    MatchStarted,
    Move,
    Refused,
    Resign,
    ServerMessage,
    Welcome,
)
from tabiya.protocol.printable import printable

HELLO_S = 20.0  # from its start to its `hello`
MOST_STARTS = 2  # in one match: a program that has died twice in it gives it up
MOST_UNASKED = 100  # messages between two answers that are none: `hello` again, garbage, offers
SHIM = "import sys; sys.path.insert(0, {home!r}); from tabiya.bots.adapters.websocket_shim import main; main()"


class ProgramBot(Bot):
    """A program that is started once and plays all matches; once more if it ends.

    command: its words, with `{url}` among them if it speaks by websocket.  sandbox: what is put around it.  report: is
    told what is wrong with what it says.
    """

    needs_rules = False  # the program has its own

    def __init__(
        self,
        command: tuple[str, ...],
        *,
        name: str,
        version: str = "",
        games: tuple[str, ...],
        sandbox: Sandbox | None = None,
        report: Callable[[str], None],
    ) -> None:
        self.name, self.version, self.games = name, version, games
        self._command, self._sandbox = command, sandbox
        self._report: Callable[[str], None] = lambda text: report(printable(text))  # it may say anything
        self._process: EngineProcess | None = None
        self._dying: EngineProcess | None = None  # has ended or was ended; not yet seen to be gone
        self._sandboxed: SandboxedProgram | None = None
        self._hello: asyncio.Future[None] | None = None
        self._starting = asyncio.Lock()
        self._matches: dict[int, MatchStarted] = {}
        self._starts: dict[int, int] = {}
        self._asked: dict[int, tuple[Turn, asyncio.Future[Choice]]] = {}
        self._offers: set[int] = set()
        self._unasked = 0

    async def prepare(self, games: tuple[str, ...]) -> None:
        """Start the program and wait for its `hello`. Raises WorkerError."""
        try:
            await self._start()
        except ProgramError as error:
            raise WorkerError(f"the player {self.name} cannot be started: {error}") from None

    async def close(self) -> None:
        """End the program."""
        process, self._process = self._process, None
        if process is not None:
            self._thaw()
            await process.close(farewell="")
        await self._clean_up()

    async def match_started(self, match: MatchStarted) -> None:
        """Tell it."""
        self._matches[match.match] = match
        self._starts[match.match] = 1
        self._send(match)
        self._freeze_if_idle()

    async def match_ended(self, match: MatchEnded) -> None:
        """Tell it."""
        self._matches.pop(match.match, None)
        self._starts.pop(match.match, None)
        self._send(match)
        self._freeze_if_idle()

    async def choose(self, turn: Turn) -> Choice:
        """Its answer to the turn. Raises ProgramError when it has ended and does not start again."""
        answer: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()
        self._asked[turn.match] = turn, answer
        try:
            if self._process is None:
                await self._start_again(turn.match)
            elif turn.refused:
                self._send(_refusal(turn))
            else:
                self._send(turn.message)
            return await self._answer_of(turn, answer)
        finally:
            if self._asked.get(turn.match, (None,))[0] is turn:
                del self._asked[turn.match]
            self._freeze_if_idle()

    async def _answer_of(self, turn: Turn, answer: asyncio.Future[Choice]) -> Choice:
        while True:
            try:
                return await asyncio.shield(answer)
            except ProgramError as error:
                self._report(f"match {turn.match}, ply {turn.ply}: {error}; it is started once more")
                answer = asyncio.get_running_loop().create_future()
                self._asked[turn.match] = turn, answer
                await self._start_again(turn.match)

    async def _start_again(self, match: int) -> None:
        """Start a program that has ended; it gets its open turns again. Raises ProgramError."""
        self._starts[match] = self._starts.get(match, 1) + 1
        if self._starts[match] > MOST_STARTS:
            raise ProgramError(f"{Path(self._command[0]).name!r} has ended again")
        await self._start()

    async def _start(self) -> None:
        async with self._starting:
            if self._process is not None:
                return
            await self._clean_up()
            command, environment = self._whole_command(), None
            if self._sandbox is not None:
                self._sandboxed = self._sandbox.around(Path.cwd(), starts_programs=True)
                if command != self._command and not self._sandboxed.has_loopback:
                    raise ProgramError("this sandbox has no network, so the program cannot use a websocket")
                command, environment = (
                    self._sandboxed.command(command),
                    self._sandboxed.environment | self._environment(),
                )
            self._hello = asyncio.get_running_loop().create_future()
            self._unasked = 0
            self._process = await EngineProcess.start(
                command,
                self._on_line,
                self._on_exit,
                None,
                environment=environment,
                called=self._command[0],
                shows=True,
            )
            if self._sandboxed is not None:
                self._sandboxed.started(self._process.pid)
            try:
                await asyncio.wait_for(self._hello, HELLO_S)
            except TimeoutError:
                process, self._process = self._process, None
                await process.kill()
                raise ProgramError(f"{process.name!r} has not said hello after {HELLO_S:g} s") from None
            finally:
                self._freeze_if_idle()

    def _whole_command(self) -> tuple[str, ...]:
        if not any(place in word for place in (URL, ADDRESS) for word in self._command):
            return self._command
        return (sys.executable, "-P", "-c", SHIM.format(home=str(HOME)), *self._command)

    def _environment(self) -> dict[str, str]:
        """The environment with which a program says hello, without the token."""
        return {"TABIYA_NAME": self.name, "TABIYA_TOKEN": "is-not-needed-here"}

    async def _clean_up(self) -> None:
        dying, self._dying = self._dying, None
        if dying is not None:
            self._thaw()  # what is frozen does not end everywhere
            await dying.kill()
        sandboxed, self._sandboxed = self._sandboxed, None
        if sandboxed is not None:
            remark = await asyncio.to_thread(sandboxed.ended)
            if remark:
                self._report(remark)

    def _send(self, message: ServerMessage) -> None:
        if self._process is not None:
            self._thaw()
            self._process.write([str(encode(message, Encoding.JSON))])

    def _thaw(self) -> None:
        if self._sandboxed is not None:
            self._sandboxed.thaw()

    def _freeze_if_idle(self) -> None:
        """Freeze a sandboxed program that has no open turn."""
        if self._sandboxed is not None and not self._asked and self._hello is not None and self._hello.done():
            self._sandboxed.freeze()

    # --- what the program says ---

    def _on_line(self, line: str) -> None:
        if not line or self._process is None:
            return
        self._unasked += 1
        if self._unasked > MOST_UNASKED:
            self._process.fail("sends too many messages that answer no turn")
            return
        try:
            message = decode_client(line, Encoding.JSON)
        except CodecError as error:
            if error.move is None:
                self._send(Refused(code=RefusalCode.BAD_MESSAGE, message=str(error), about=error.about))
                self._report(str(error))
                return
            message = error.move
        self._handle(message)

    def _handle(self, message: ClientMessage) -> None:
        match message:
            case Hello():
                self._welcome()
            case Move() if misplaced := self._misplaced(message):
                self._send(misplaced)
                self._report(misplaced.message)
            case Move():
                offers = message.match in self._offers
                self._answer(message.match, message.ply, Choice(message.move, info=message.info, offer_draw=offers))
            case DrawOffer():
                self._offers.add(message.match)
            case Resign():
                self._answer(message.match, None, Choice(resign=True, failure=message.failure))
            case _:
                pass  # its user decides about matches and challenges

    def _misplaced(self, move: Move) -> Refused | None:
        """The refusal of a move for another ply than the open turn's, or for an unknown match; else None."""
        turn, answer = self._asked.get(move.match, (None, None))
        if turn is not None and answer is not None and not answer.done() and move.ply != turn.ply:
            code, text = RefusalCode.WRONG_PLY, f"the move answers ply {move.ply}, but ply {turn.ply} is to be played"
        elif turn is None and self._asked and move.match not in self._matches:
            open_turns = ", ".join(map(str, self._asked))
            code, text = (
                RefusalCode.UNKNOWN_MATCH,
                f"the move is for match {move.match}, but the turn is of {open_turns}",
            )
        else:
            return None
        return Refused(code=code, message=text, about="move", match=move.match, ply=move.ply)

    def _answer(self, match: int, ply: int | None, choice: Choice) -> None:
        turn, answer = self._asked.get(match, (None, None))
        if turn is None or answer is None or answer.done() or ply not in (None, turn.ply):
            return
        self._offers.discard(match)
        self._unasked = 0
        answer.set_result(choice)

    def _welcome(self) -> None:
        """Answer a `hello`, also that of a later connection, and send everything that it may have missed."""
        self._send(
            Welcome(
                name=self.name,
                server="tabiya",
                protocol=PROTOCOL_VERSION,
                session="program",
                authenticated=True,
                games=self.games,
                matches=(),
                limits=DEFAULT_LIMITS.for_bot(),
            )
        )
        for match in self._matches.values():
            self._send(match)
        for turn, _ in self._asked.values():
            self._send(turn.message)
        if self._hello is not None and not self._hello.done():
            self._hello.set_result(None)

    def _on_exit(self, error: ProgramError) -> None:
        self._dying, self._process = self._process, None
        waiting = [answer for _, answer in self._asked.values() if not answer.done()]
        if self._hello is not None and not self._hello.done():
            self._hello.set_exception(error)
        for answer in waiting:
            answer.set_exception(error)


def _refusal(turn: Turn) -> Refused:
    """The server's refusal of its answer; the turn waits for another one."""
    return Refused(code=RefusalCode.ILLEGAL_MOVE, message=turn.refused, about="move", match=turn.match, ply=turn.ply)
