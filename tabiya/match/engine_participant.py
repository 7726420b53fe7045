"""An engine at the match's own server: no socket, no worker and no thread between its pipes and the core.

It is a connection like any other to the server (`server/transport/base.py`): the same messages, the same clock. A turn
is written to the program in the very call that hands it out, and the clock stops when the answer is read.

The program's faults are its own: one that hangs loses on time, one that dies is started once more while its clock
runs and then resigns, an illegal move is asked for again until the limit of illegal moves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.adapters.engine_protocol import EngineProtocol
from tabiya.bots.adapters.external_engine import ExternalEngine
from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tabiya.bots.client.choice import LONGEST_MOVE, LONGEST_TEXT, fitting
from tabiya.bots.players.api import MoveReply, MoveRequest, info_of, request_of, shortened
from tabiya.bots.players.build import engine_protocol
from tabiya.bots.players.spec import PlayerError, PlayerSpec
from tabiya.match.participants import MatchFailed
from tabiya.protocol.codes import CloseCode, RefusalCode
from tabiya.protocol.messages import (
    Hello,
    MatchEnded,
    Move,
    Refused,
    Resign,
    ServerMessage,
    Turn,
    Welcome,
)
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.transport.base import InProcess
from tabiya.server.transport.loop_lag import LoopLagMonitor

MOST_DEATHS = 1  # in one game; the next one gives it up
# Refusals that ask for another move; to any other there is nothing to answer.
ASK_AGAIN = frozenset({RefusalCode.ILLEGAL_MOVE, RefusalCode.UNREADABLE_MOVE})
LONGEST_VERSION = 64  # of `hello` (protocol/messages/client.py)
NO_MOVE = "none"  # what is sent for an answer that names no move; no game has a move of this name

Note = Callable[[str], None]


class _EngineGame:
    """One game of the engine's."""

    __slots__ = ("deaths", "engine", "since_ns", "thinks", "turn")

    def __init__(self, engine: ExternalEngine, turn: Turn) -> None:
        """turn: the last one.  since_ns: when it came.  thinks: whether its answer is waited for."""
        self.engine, self.turn, self.since_ns, self.thinks, self.deaths = engine, turn, 0, False, 0


class EngineParticipant(InProcess):
    """A `match.participants.Participant` and, towards the server, a `server.transport.base.Connection`."""

    # As a Connection: nothing lies between it and the server, so no lag is credited and nothing is ever queued.
    address, is_loopback, round_trip_ns, backlog = "local", True, 0, 0

    def __init__(
        self,
        host: Dispatcher,
        name: str,
        command: tuple[str, ...],
        protocol: Callable[[], EngineProtocol],
        games: tuple[str, ...],
        concurrency: int,
        note: Note,
    ) -> None:
        """concurrency: how many games, each with a program of its own.  note: is told of the program's faults."""
        self.name, self.id = name, f"engine {name}"
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.deaths = 0
        self._host, self._games, self._note = host, games, note
        self._reaper = OrphanReaper()
        self._new_engine = partial(ExternalEngine, command, protocol, lambda error: None, reaper=self._reaper)
        self._engines = [self._new_engine() for _ in range(concurrency)]
        self._idle: deque[ExternalEngine] = deque(self._engines)
        self._ready: deque[ExternalEngine] = deque()
        self._running: dict[int, _EngineGame] = {}
        self._welcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._now_ns, self._lag_monitor = host.runner.now_ns, LoopLagMonitor(host.runner.now_ns, host.process_paused)

    # --- for the runner ---

    async def join(self) -> None:
        """See `Participant.join`. Raises MatchFailed."""
        # before hello, in which the program's own name stands as the version: it is known only once the program runs
        await asyncio.gather(*(self.prepare() for _ in range(len(self._idle))))
        self._lag_monitor.start()
        self._host.opened(self)
        version = self._engines[0].name[:LONGEST_VERSION]
        hello = Hello(
            name=self.name,
            version=version if version.isprintable() else "",
            games=self._games,
            max_matches=len(self._engines),
            legal_moves=False,
        )
        self._host.received(self, hello, self._now_ns())
        await self._welcome

    async def prepare(self) -> None:
        """See `Participant.prepare`. Raises MatchFailed."""
        if not self._idle:  # nothing has been played on the last one that was prepared
            return
        engine = self._idle.popleft()
        try:
            await engine.new_game()
        except ProgramError as error:
            self._idle.append(engine)
            raise MatchFailed(str(error)) from None
        self._ready.append(engine)

    async def leave(self) -> None:
        """See `Participant.leave`."""
        self._lag_monitor.stop()
        # first those that start a program again, or one would start behind the closing of all
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(engine.close() for engine in self._engines))
        self._reaper.close()

    # --- for the server ---

    def send(self, message: ServerMessage) -> None:
        """See `Connection.send`."""
        kind = type(message)
        if kind is Turn:
            self._turn(message)  # type: ignore[arg-type]
        elif kind is MatchEnded:
            self._ended(message)  # type: ignore[arg-type]
        elif kind is Refused:
            self._refused(message)  # type: ignore[arg-type]
        elif kind is Welcome:
            self.name = message.name  # type: ignore[union-attr]
            self._welcome.set_result(None)

    def flush(self) -> None:
        """See `Connection.flush`: nothing waits here."""

    def close(self, code: CloseCode, reason: str) -> None:
        """See `Connection.close`."""
        if not self._welcome.done():
            self._welcome.set_exception(MatchFailed(reason))
        elif code != CloseCode.SERVER_CLOSING and not self.failed.done():
            self.failed.set_exception(MatchFailed(f"the server has closed the connection of {self.name}: {reason}"))
        # later: the server calls `close` in the middle of its own work on this connection
        asyncio.get_running_loop().call_soon(self._host.closed, self)

    # --- its games ---

    def _turn(self, turn: Turn) -> None:
        play = self._running.get(turn.match)
        if play is None:
            play = self._running[turn.match] = _EngineGame(self._free_engine(), turn)
        play.turn, play.since_ns = turn, self._now_ns()
        if play.engine.pid is None:  # it died while nobody waited for an answer; that is not counted
            self._start_again(play)
        else:
            self._ask(play, request_of(turn))

    def _free_engine(self) -> ExternalEngine:
        """The next one that is ready; after a restart there may be more games to go on with than are played at once."""
        if not self._ready and not self._idle:
            self._engines.append(self._new_engine())
            return self._engines[-1]
        return self._ready.popleft() if self._ready else self._idle.popleft()

    def _ask(self, play: _EngineGame, request: MoveRequest) -> None:
        play.thinks = True
        play.engine.on_lost = partial(self._lost, play)
        play.engine.ask(request, partial(self._answered, play))

    def _ask_again(self, play: _EngineGame) -> None:
        request, spent_s = request_of(play.turn), (self._now_ns() - play.since_ns) / 1e9
        self._ask(play, shortened(request, max(0.0, request.budget_s - spent_s), spent_s))

    def _answered(self, play: _EngineGame, reply: MoveReply, seconds: float) -> None:
        if play.thinks:  # else the game has ended meanwhile
            play.thinks, turn = False, play.turn
            if reply.resign:
                self._host.received(self, Resign(match=turn.match), self._now_ns())
                return
            info = fitting(info_of(replace(reply, time_ms=int(seconds * 1000))))
            move = reply.move if 1 <= len(reply.move) <= LONGEST_MOVE else NO_MOVE
            answer = Move(match=turn.match, ply=turn.ply, move=move, info=info)
            self._host.received(self, answer, self._lag_monitor.earliest_arrival_ns(self._now_ns()))

    def _refused(self, message: Refused) -> None:
        play = self._running.get(message.match or 0)
        if play is not None and message.code in ASK_AGAIN and message.ply == play.turn.ply:
            self._note(f"{self.name}, match {message.match}, ply {message.ply}: {message.message}")
            self._ask_again(play)

    def _ended(self, message: MatchEnded) -> None:
        play = self._running.pop(message.match, None)
        if play is not None:
            play.thinks = False
            self._idle.append(play.engine)

    def _lost(self, play: _EngineGame, error: ProgramError) -> None:
        if not play.thinks:
            return
        play.deaths += 1
        self.deaths += 1
        if play.deaths > MOST_DEATHS:
            self._give_up(play, str(error))
        else:
            turn = play.turn
            self._note(f"{self.name}, match {turn.match}, ply {turn.ply}: {error}; it is started once more")
            self._start_again(play)

    def _start_again(self, play: _EngineGame) -> None:
        play.thinks = True
        task = asyncio.create_task(self._again(play))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _again(self, play: _EngineGame) -> None:
        turn = play.turn
        try:
            await play.engine.new_game()
        except ProgramError as error:
            if play.thinks:
                self._give_up(play, str(error))
            return
        # The game may have ended while it started; after a newer turn `_turn` has asked it already.
        if play.thinks and play.turn is turn:
            self._ask_again(play)

    def _give_up(self, play: _EngineGame, why: str) -> None:
        play.thinks, turn = False, play.turn
        self._note(f"{self.name}, match {turn.match}, ply {turn.ply}: {why}; the game is given up")
        self._host.received(self, Resign(match=turn.match, failure=why[:LONGEST_TEXT]), self._now_ns())


def engine_of(spec: PlayerSpec) -> tuple[tuple[str, ...], Callable[[], EngineProtocol]] | None:
    """Command and protocol of a PLAYER that is a program; None for every other. Raises MatchFailed."""
    try:
        protocol = engine_protocol(spec)
    except PlayerError as error:
        raise MatchFailed(str(error)) from None
    return None if protocol is None else (spec.command, protocol)
