"""An engine at the match's own server: no socket, no worker and no thread between its pipes and the core.

It is a connection like any other to the server (`server/transport/base.py`), but for its turns and moves, which are no
messages: the runner hands out a turn (`local_runner.py`) in the very call that writes it to the program, and has the
move in the call that reads it. The clock runs between the two.

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
from msgspec.structs import replace

from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.adapters.engine_protocol import EngineProtocol
from tabiya.bots.adapters.external_engine import ExternalEngine
from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tabiya.bots.client.choice import LONGEST_MOVE, LONGEST_TEXT, within_bounds
from tabiya.bots.players.api import MoveReply, MoveRequest, info_of, shortened
from tabiya.bots.players.build import engine_protocol
from tabiya.bots.players.spec import PlayerError, PlayerSpec
from tabiya.games.errors import GameError
from tabiya.match.own_book import OwnBook
from tabiya.match.participants import MatchFailed
from tabiya.protocol.codes import CloseCode, RefusalCode
from tabiya.protocol.messages import DrawOffer, Hello, MatchEnded, Refused, Resign, ServerMessage, Welcome
from tabiya.protocol.messages.parts import FROM_BOOK
from tabiya.server.core.clock import US_PER_MS, move_limit_us, moves_to_go
from tabiya.server.core.effects import SendTurn
from tabiya.server.core.events import MoveArrived
from tabiya.server.core.state import Match
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.server.transport.base import InProcess
from tabiya.server.transport.loop_lag import LoopLagMonitor

MOST_DEATHS = 1  # in one game; the next one gives it up
# Refusals that ask for another move; to any other there is nothing to answer.
ASK_AGAIN = frozenset({RefusalCode.ILLEGAL_MOVE, RefusalCode.UNREADABLE_MOVE})
# As much of our own lateness may be charged. The ten milliseconds of a server are five increments of 0.2+0.002: on a
# very busy machine half of the games were lost on time.
TICK_NS = 2_000_000
LONGEST_VERSION = 64  # of `hello` (protocol/messages/client.py)
NO_MOVE = "(no move)"  # what is sent for an answer that names no move; no game has a move of this name

Note = Callable[[str], None]


class _EngineGame:
    """One game of the engine's."""

    __slots__ = ("active", "control", "deaths", "engine", "error_text", "request", "since_ns", "thinks")

    def __init__(self, engine: ExternalEngine, active: ActiveMatch, seat: int) -> None:
        """request: the last one.  since_ns: when it was made.  thinks: whether its answer is waited for.

        error_text: what its last answer says in place of a move.
        """
        self.engine, self.active, self.thinks, self.deaths = engine, active, False, 0
        self.control = str(active.match.terms.controls[seat])
        self.request: MoveRequest
        self.since_ns, self.error_text = 0, ""

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
        game: str,
        concurrency: int,
        note: Note,
        *,
        restarts: bool = False,
        cores: tuple[int, ...] = (),
        book: OwnBook | None = None,
    ) -> None:
        """concurrency: how many games, each with a program of its own.  note: called with the program's faults.

        restarts: whether each game has a program that is started for it.  cores: of the programs, one each; none: any.
        book: out of which moves are played for it.
        """
        self.name, self.id = name, f"engine {name}"
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.deaths = 0
        self._host, self._game, self._note, self._restarts = host, game, note, restarts
        self._book, self._reaper = book, OrphanReaper()
        self._new_engine = partial(ExternalEngine, command, protocol, lambda error: None, reaper=self._reaper)
        self._engines = [self._new_engine(core=core) for core in cores or (None,) * concurrency]
        self._idle: deque[ExternalEngine] = deque(self._engines)
        self._ready: deque[ExternalEngine] = deque()
        self._running: dict[int, _EngineGame] = {}
        self._welcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._runner, self._now_ns = host.runner, host.runner.now_ns
        self._lag_monitor = LoopLagMonitor(self._now_ns, host.process_paused, TICK_NS)

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
            games=(self._game,),
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
        hangs = engine.hangs
        try:
            if self._restarts:
                await engine.close()
            await engine.new_game(self._game)
        except ProgramError as error:
            self._idle.append(engine)
            raise MatchFailed(f"{self.name}: {error}") from None
        if engine.hangs > hangs:
            self._note(f"{self.name} still thought after its game was over; its program was ended and started again")
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

    def ask(self, active: ActiveMatch, turn: SendTurn) -> None:
        """Hand out a turn of a match."""
        play = self._running.get(active.record.id)
        if play is None:
            play = self._running[active.record.id] = _EngineGame(self._free_engine(), active, turn.seat)
        play.request, play.since_ns = _request(active.match, turn, play.control), self._now_ns()
        position: Any = active.match.position  # that of the rules
        move = self._book.move(position, active.record.id) if self._book else ""
        if move:  # the runner has its own to do before it is answered
            play.thinks, reply = True, MoveReply(move=move, text=FROM_BOOK)
            asyncio.get_running_loop().call_soon(self._answered, play, reply, 0.0)
        elif play.engine.is_running:
            self._ask(play, play.request)
        else:  # it died between two moves; that is not counted
            self._start_again(play)

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
        if play.thinks:  # otherwise the game has ended meanwhile
            play.thinks, request, now_ns = False, play.request, self._now_ns()
            if reply.resign:
                self._host.received(self, Resign(match=request.match), now_ns)
                return
            if reply.offer_draw or reply.accept_draw:
                self._host.received(self, DrawOffer(match=request.match, ply=request.ply), now_ns)
            arrived_ns = self._lag_monitor.earliest_arrival_ns(now_ns)
            info = to_builtins(within_bounds(info_of(replace(reply, time_ms=int(seconds * 1000)))))
            move, play.error_text = reply.move or NO_MOVE, "" if reply.move else reply.text
            move = move if len(move) <= LONGEST_MOVE else move[: LONGEST_MOVE - 1] + "…"
            arrived = MoveArrived(request.seat, move, request.ply, arrived_ns, now_ns, info=info)
            self._runner.post(play.active, arrived)
            if reply.expected:
                self._ponder(play, reply.expected)

    def _ponder(self, play: _EngineGame, expected: str) -> None:
        """Let it think on while its opponent does, if its move was taken and the game goes on as it expects."""
        match, seat = play.active.match, play.request.seat
        if play.thinks or match.position.ply != play.request.ply + 1 or match.position.to_move == seat:
            return
        try:
            position = match.position.play(expected)
        except GameError:
            return
        if position.outcome() is None:
            clocks = match.seats[0].remaining_us, match.seats[1].remaining_us
            limit_us = move_limit_us(match.terms.controls[seat], clocks[seat], match.terms.stall_us)
            turn = SendTurn(seat, position.ply, clocks, limit_us)
            play.engine.ponder(_request(replace(match, position=position), turn, play.control))

    def _refused(self, message: Refused) -> None:
        play = self._running.get(message.match or 0)
        if play is not None and message.code in ASK_AGAIN and message.ply == play.request.ply:
            answer = f"; it answered {play.error_text!r}" if play.error_text else ""
            self._note(f"{self.name}, {play}: {message.message}{answer}")
            self._ask_again(play)

    def _ended(self, message: MatchEnded) -> None:
        play = self._running.pop(message.match, None)
        if play is not None:
            play.thinks = False
            play.engine.game_over()
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
            await play.engine.new_game(request.game)
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


def _request(match: Match, turn: SendTurn, control: str) -> MoveRequest:
    """The question of a turn. control: its player's time control as text."""
    terms, position, seat = match.terms, match.position, turn.seat
    base, since = position.history()
    own, other = terms.controls[seat], terms.controls[1 - seat]
    clocks_ms = [us // US_PER_MS for us in turn.remaining_us] if terms.timed else (None, None)
    limit_ms = turn.limit_us // US_PER_MS  # rounded down: no program shall plan with time that it does not have
    return MoveRequest(
        match=terms.match_id,
        game=terms.game,
        seat=seat,
        ply=turn.ply,
        position=position.text(),
        history_position=base,
        history_moves=since,
        last_move=position.moves[-1] if position.moves else None,
        time_control=control,
        remaining_ms=clocks_ms[seat],
        opponent_ms=clocks_ms[1 - seat],
        increment_ms=own.increment_ms,
        opponent_increment_ms=other.increment_ms,
        moves_to_go=moves_to_go(own, match.seats[seat].moves_made),
        move_limit_ms=limit_ms,
        budget_s=limit_ms / 1000,
        draw_offered=match.offer == 1 - seat and match.offer_announced,
    )


def engine_of(spec: PlayerSpec) -> tuple[tuple[str, ...], Callable[[], EngineProtocol]] | None:
    """Command and protocol of a PLAYER that is a program; None for every other. Raises MatchFailed."""
    try:
        protocol = engine_protocol(spec)
    except PlayerError as error:
        raise MatchFailed(str(error)) from None
    return None if protocol is None else (spec.command, protocol)
