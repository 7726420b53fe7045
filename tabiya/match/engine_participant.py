"""A UCI or NBoard engine at the match's own server: no socket and no worker between its pipes and the core.

It is a connection like any other to the server (`server/transport/base.py`), but for its turns and moves: those the
runner hands to it and takes from it (`local_runner.py`), in the very call that writes to the program or reads from it.

The program's faults are its own: one that hangs loses on time, one that dies is started once more while its clock
runs and then resigns, an illegal move is asked for again until the limit of illegal moves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import to_builtins

from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.adapters.engine_protocol import EngineProtocol
from tabiya.bots.adapters.external_engine import ExternalEngine, LentEngine
from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tabiya.bots.client.choice import LONGEST_MOVE, LONGEST_TEXT, fitting
from tabiya.bots.players.api import MoveReply, MoveRequest, info_of, shortened
from tabiya.bots.players.build import engine_protocol
from tabiya.bots.players.spec import PlayerError, PlayerSpec
from tabiya.match.participants import MatchFailed
from tabiya.protocol.codes import CloseCode, RefusalCode
from tabiya.protocol.messages import Hello, MatchEnded, Refused, Resign, ServerMessage, Welcome
from tabiya.server.core.clock import NS_PER_US, US_PER_MS, moves_to_go
from tabiya.server.core.events import MoveArrived
from tabiya.server.core.state import AwaitingMove, Match, MatchPosition, Terms
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.server.transport.base import InProcess
from tabiya.server.transport.loop_lag import LoopLagMonitor
from tabiya.storage.records import MatchId, Pair

MOST_DEATHS = 1  # in one game; the next one gives it up
# Refusals that ask for another move; to any other there is nothing to answer.
ASK_AGAIN = frozenset({RefusalCode.ILLEGAL_MOVE, RefusalCode.UNREADABLE_MOVE})
LONGEST_VERSION = 64  # of `hello` (protocol/messages/client.py)
NO_MOVE = "none"  # what is sent for an answer that names no move; no game has a move of this name

Note = Callable[[str], None]


class _EngineGame:
    """One game of the engine's."""

    __slots__ = ("active", "control", "deaths", "engine", "request", "since_ns", "thinks")

    def __init__(self, engine: ExternalEngine, active: ActiveMatch) -> None:
        """request: the last one.  since_ns: when its clock began.  thinks: whether its answer is waited for."""
        self.engine, self.active, self.thinks, self.deaths = engine, active, False, 0
        self.control = str(active.match.terms.control)
        self.request: MoveRequest
        self.since_ns = 0

    def __str__(self) -> str:
        return f"match {self.request.match}, ply {self.request.ply}"


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
        self._new_engine = partial(
            ExternalEngine, command, protocol, lambda error: None, reaper=self._reaper, own_session=False
        )
        self._engines = [self._new_engine() for _ in range(concurrency)]
        self._idle: deque[ExternalEngine] = deque(self._engines)
        self._ready: deque[ExternalEngine] = deque()
        self._running: dict[int, _EngineGame] = {}
        self._welcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._runner, self._now_ns = host.runner, host.runner.now_ns
        self._lag_monitor = LoopLagMonitor(host.runner.now_ns, host.process_paused)

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
        if kind is MatchEnded:
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

    def ask(self, active: ActiveMatch, match: Match, remaining_us: Pair, limit_us: int) -> int:
        """Hand out the turn of a match to the program; the server's clock behind that.

        remaining_us, limit_us: both clocks, and how long this move may take.
        """
        play = self._running.get(active.record.id)
        if play is None:
            play = self._running[active.record.id] = _EngineGame(self._free_engine(), active)
        play.request = _turn_of(match, play.control, remaining_us, limit_us)
        if play.engine.is_running:
            self._ask(play, play.request)
        else:  # it died while nobody waited for an answer; that is not counted
            self._start_again(play)
        play.since_ns = self._now_ns()
        return play.since_ns

    # --- while a thread plays its game ---

    def may_lend(self, match_id: MatchId) -> bool:
        """Whether the engine that plays a match can be lent to a thread."""
        play = self._running.get(match_id)
        return play is not None and play.engine.is_running and not play.engine.is_lent

    def lend(self, match_id: MatchId) -> LentEngine:
        """The engine that plays a match, for a thread."""
        return self._running[match_id].engine.lend()

    def is_lent(self, match_id: MatchId) -> bool:
        """Whether it still is."""
        play = self._running.get(match_id)
        return play is not None and play.engine.is_lent

    def taken_back(self, match: Match, *, is_mover: bool, thinks: bool) -> None:
        """The thread plays no more. thinks: whether it has asked and not heard the answer."""
        self._lag_monitor.earliest_arrival_ns(self._now_ns())  # if all of us stood still, that comes before all else
        play, stage = self._running.get(match.terms.match_id), match.stage
        if play is None:
            return
        play.thinks = thinks
        if is_mover and type(stage) is AwaitingMove:
            remaining_us = match.seats[0].remaining_us, match.seats[1].remaining_us
            limit_us = (stage.deadline_ns - stage.started_ns) // NS_PER_US
            play.request, play.since_ns = _turn_of(match, play.control, remaining_us, limit_us), stage.started_ns
            play.engine.on_lost = partial(self._lost, play)
        play.engine.taken_back(partial(self._answered, play) if thinks else None)

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
        request, spent_s = play.request, (self._now_ns() - play.since_ns) / 1e9
        self._ask(play, shortened(request, max(0.0, request.budget_s - spent_s), spent_s))

    def _answered(self, play: _EngineGame, reply: MoveReply, seconds: float) -> None:
        if play.thinks:  # else the game has ended meanwhile
            play.thinks, request, now_ns = False, play.request, self._now_ns()
            arrived_ns = self._lag_monitor.earliest_arrival_ns(now_ns)
            move, info = sayable(reply, seconds)
            self._runner.post(play.active, MoveArrived(request.seat, move, request.ply, arrived_ns, now_ns, info=info))

    def _refused(self, message: Refused) -> None:
        play = self._running.get(message.match or 0)
        if play is not None and message.code in ASK_AGAIN and message.ply == play.request.ply:
            self._note(f"{self.name}, {play}: {message.message}")
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
            self._note(f"{self.name}, {play}: {error}; it is started once more")
            self._start_again(play)

    def _start_again(self, play: _EngineGame) -> None:
        play.thinks = True
        task = asyncio.create_task(self._again(play))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _again(self, play: _EngineGame) -> None:
        request = play.request
        try:
            await play.engine.new_game()
        except ProgramError as error:
            if play.thinks:
                self._give_up(play, str(error))
            return
        # The game may have ended while it started; after a newer turn `ask` has asked it already.
        if play.thinks and play.request is request:
            self._ask_again(play)

    def _give_up(self, play: _EngineGame, why: str) -> None:
        play.thinks = False
        self._note(f"{self.name}, {play}: {why}; the game is given up")
        self._host.received(self, Resign(match=play.request.match, failure=why[:LONGEST_TEXT]), self._now_ns())


def _turn_of(match: Match, control: str, remaining_us: Pair, limit_us: int) -> MoveRequest:
    moves_made = match.seats[match.position.to_move].moves_made
    return request_for(match.terms, match.position, control, remaining_us, limit_us, moves_made)


def sayable(reply: MoveReply, seconds: float) -> tuple[str, dict[str, Any]]:
    """A reply within the bounds of the protocol: the move, and what was thought in so many seconds."""
    info = to_builtins(fitting(info_of(reply, int(seconds * 1000))))
    return reply.move if 1 <= len(reply.move) <= LONGEST_MOVE else NO_MOVE, info


def request_for(
    terms: Terms, position: MatchPosition, control: str, remaining_us: Pair, limit_us: int, moves_made: int
) -> MoveRequest:
    """What a turn asks. control: the time control as text.  moves_made: by the seat to move.  Else as for `ask`."""
    seat, (base, since) = position.to_move, position.history()
    timed, own_us, other_us = terms.control.timed, remaining_us[seat], remaining_us[1 - seat]
    limit_ms = limit_us // US_PER_MS  # rounded down: nobody shall plan with time that it does not have
    return MoveRequest(
        match=terms.match_id,
        game=terms.game,
        seat=seat,
        ply=position.ply,
        position=position.text(),
        history_position=base,
        history_moves=since,
        time_control=control,
        remaining_ms=own_us // US_PER_MS if timed else None,
        opponent_ms=other_us // US_PER_MS if timed else None,
        increment_ms=terms.control.increment_ms,
        moves_to_go=moves_to_go(terms.control, moves_made),
        move_limit_ms=limit_ms,
        budget_s=limit_ms / 1000,
    )


def engine_of(spec: PlayerSpec) -> tuple[tuple[str, ...], Callable[[], EngineProtocol]] | None:
    """Command and protocol of a PLAYER that is a program; None for every other. Raises MatchFailed."""
    try:
        protocol = engine_protocol(spec)
    except PlayerError as error:
        raise MatchFailed(str(error)) from None
    return None if protocol is None else (spec.command, protocol)
