"""Handles each message of a bot about its matches."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from tabiya.protocol.codec import CodecError
from tabiya.protocol.codes import CloseCode, RefusalCode
from tabiya.protocol.messages import ClientMessage, DrawOffer, Move, Notice, Refused, Resign, TakeBack
from tabiya.protocol.printable import printable
from tabiya.server.config import ServerConfig
from tabiya.server.core import events
from tabiya.server.matches.factory import MatchFactory
from tabiya.server.matches.runner import Runner
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.server.sessions.session import BotSession, RefusalError, SessionTable
from tabiya.server.transport.base import Clock, Connection
from tabiya.storage.records import BotId, MatchId, MatchRecord, ResultRecord
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.dispatcher")

RETURN_NS = 10_000_000_000
"""A bot that a server failure keeps away for at most this long finds its clock unchanged when it returns."""
LONGEST_FAILURE = 500  # as `resign` has it; escapes for what cannot be printed make it longer
PlayerMessage = Move | Resign | DrawOffer | TakeBack
"""Messages of a player about its match."""
REPLACED = "a newer connection of this bot has taken over"


class MatchDispatcher:
    """Passes bots' messages to their matches; a subclass knows the bots and handles other messages."""

    def __init__(
        self, store: Store, config: ServerConfig, now_ns: Clock, wall_ns: Clock, new_runner: Callable[..., Runner]
    ) -> None:
        """wall_ns: nanoseconds since 1970."""
        self._config = config
        self._loop = asyncio.get_running_loop()
        self.sessions = SessionTable()
        self.runner = new_runner(store, self.sessions, self._match_ended, config.limits.spectators_per_match, now_ns)
        self.match_factory = MatchFactory(store, self.runner, config, wall_ns)
        self.runner.plan_on = self.match_factory.plan_on
        self._lost: dict[BotId, int] = {}  # bots that a server failure keeps away -> since when
        self._can_return_ns = 0  # since when they can come back, at the earliest
        self.runner.patience_s = self._patience_s
        self._tasks: set[asyncio.Task[None]] = set()
        self._handlers: dict[type, Callable[[BotSession, Any, int], None]] = {
            Move: self._move,
            Resign: self._resign,
            DrawOffer: self._draw_offer,
            TakeBack: self._take_back,
        }

    def _match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        raise NotImplementedError

    # --- what a transport calls ---

    def process_paused(self, since_ns: int, until_ns: int) -> None:
        """The process did not run in this time, which is charged to no player."""
        self.runner.process_paused(since_ns, until_ns)

    def unreachable(self, connection: Connection, since_ns: int, until_ns: int) -> None:
        """This connection could not be reached between these times, which are charged to nobody."""
        session = self.sessions.by_connection(connection)
        if session is not None:
            for active, _ in list(session.matches.values()):
                self.runner.post(active, events.ProcessPaused(since_ns, until_ns))

    def lost(self, connection: Connection) -> None:
        """The gateway of this connection is gone: its bot must reconnect elsewhere, and may not know yet."""
        session = self.sessions.by_connection(connection)
        if session is not None:
            self._lost[session.bot.id] = self.runner.now_ns()
        self.closed(connection)

    def closed(self, connection: Connection) -> None:
        """The connection is gone."""
        raise NotImplementedError

    def _returns_until_ns(self, since_ns: int) -> int:
        return max(since_ns, self._can_return_ns) + RETURN_NS

    def _patience_s(self, bot_id: BotId) -> float:
        """How long an absent bot is still waited for."""
        since_ns = self._lost.get(bot_id)
        return 0.0 if since_ns is None else max(0, self._returns_until_ns(since_ns) - self.runner.now_ns()) / 1e9

    def _credit_outage(self, bot_id: BotId) -> None:
        """A bot is back: give it the time that a server failure has cost."""
        since_ns = self._lost.pop(bot_id, None)
        if since_ns is not None:
            until_ns = min(self.runner.now_ns(), self._returns_until_ns(since_ns))
            for active in self.runner.matches_of(bot_id):
                self.runner.post(active, events.ProcessPaused(since_ns, until_ns))

    def _unreadable_of(self, session: BotSession, error: CodecError, arrived_ns: int) -> None:
        """A frame of a welcomed bot that is no message: garbage ends the connection, a bad message is refused.

        A move with a bad `info` is played all the same.
        """
        connection = session.connection
        if error.garbage:
            connection.close(CloseCode.GARBAGE, str(error))
        elif error.move is not None:
            self._handle(session, error.move, arrived_ns)
            self._send_info_notice(session, str(error))
        else:
            self._refuse(session, RefusalError(error.code, str(error), match=error.match, ply=error.ply), error.about)
            session.bad_messages += 1
            if session.bad_messages >= self._config.limits.bad_messages:
                connection.close(CloseCode.GARBAGE, f"{session.bad_messages} messages that cannot be read")

    def _send_info_notice(self, session: BotSession, fault: str) -> None:
        """Tell the author that a part of `info` was left out; once on each connection."""
        if not session.warned_of_info:
            session.warned_of_info = True
            text = f"{fault[:500]}; the move counts, this part of info is left out (said once on a connection)"
            session.connection.send(Notice(kind="bad_info", text=text))

    def introduced(self, connection: Connection, bot_id: int, name: str, *, legal_moves: bool) -> None:
        """Not called where bots are welcomed."""
        raise AssertionError("a bot is introduced to hosts beside the server")

    def host_of(self, match_id: int) -> int:
        """The number of another host that plays a match; 0 for none."""
        left = self.match_factory.left_to_hosts.get(MatchId(match_id))
        return self.runner.host_of(match_id) if left is None else left.host

    def waits_for(self, match_id: int, ply: int) -> bool:
        """Whether a match is played here, and waits for the move of this ply."""
        active = self.runner.active(match_id)
        return active is not None and active.is_thinking and active.match.position.ply == ply

    # --- bots come ---

    def bot_on(self, connection: Connection) -> int:
        """The id of the bot that is welcomed on this connection."""
        session = self.sessions.by_connection(connection)
        assert session is not None
        return session.bot.id

    async def _drain_other_connection(self, name: str) -> None:
        """Wait until all messages of this bot on another connection have arrived, or its gateway is lost.

        A move may be under way there; and what a lost gateway has cost must be given back before anything is judged.
        """
        known = None
        while (holder := self.sessions.by_name(name)) is not None and holder is not known:
            drained, known = asyncio.Event(), holder
            holder.connection.after_reads(drained.set)
            await drained.wait()

    def _is_replaced(self, session: BotSession) -> bool:
        """Whether its bot has reconnected elsewhere since; a gateway that introduces it again does not know that."""
        present = self.sessions.by_bot(session.bot.id)
        return present is not None and present.connection.opened_ns > session.connection.opened_ns

    # --- messages of a welcomed bot ---

    def _handle(self, session: BotSession, message: ClientMessage, arrived_ns: int) -> None:
        try:
            self._handlers[type(message)](session, message, arrived_ns)
        except RefusalError as refusal:
            self._refuse(session, refusal, type_of(message))

    def _refuse(self, session: BotSession, refusal: RefusalError, about: str) -> None:
        session.connection.send(Refused(code=refusal.code, message=str(refusal)[:1_000], about=about, **refusal.about))

    def _running(self, match_id: int, **about: Any) -> ActiveMatch:
        """A match that runs. Raises RefusalError. about: further fields of the refusal."""
        active = self.runner.active(match_id)
        if active is not None:
            return active
        if self.runner.has_been(match_id):
            raise RefusalError(RefusalCode.MATCH_OVER, f"match {match_id} is over", match=match_id, **about)
        raise RefusalError(RefusalCode.UNKNOWN_MATCH, f"there is no match {match_id}", match=match_id, **about)

    def _seated(self, session: BotSession, match_id: int, **about: Any) -> tuple[ActiveMatch, int]:
        """A match that runs or is frozen, and the bot's seat in it. Raises RefusalError."""
        if (seated := session.matches.get(MatchId(match_id))) is not None:  # the usual case, with one look-up
            return seated
        active = self._running(match_id, **about)
        seat = active.seat_of(session.bot.id)
        if seat is None:
            text = f"{session.name} has no seat in match {match_id}"
            raise RefusalError(RefusalCode.NOT_A_PLAYER, text, match=match_id, **about)
        return active, seat

    def _move(self, session: BotSession, message: Move, arrived_ns: int) -> None:
        active, seat = self._seated(session, message.match, ply=message.ply)
        info = msgspec.to_builtins(message.info) if message.info is not None else None
        trip_ns = session.connection.round_trip_ns
        self.runner.post(
            active, events.MoveArrived(seat, message.move, message.ply, arrived_ns, self.runner.now_ns(), trip_ns, info)
        )

    def _resign(self, session: BotSession, message: Resign, arrived_ns: int) -> None:
        active, seat = self._seated(session, message.match)
        # one line: PostgreSQL takes no NUL, and people read it on a terminal
        failure = printable(message.failure)[:LONGEST_FAILURE]
        if failure:  # it may show paths of its author's machine: only the operator and its owner read it
            about = active.log_fields | session.log_fields
            log.info("match %d: the program of %s failed: %s", message.match, session.name, failure, extra=about)
        self.runner.post(active, events.Resigned(seat, self.runner.now_ns(), failure))

    def _draw_offer(self, session: BotSession, message: DrawOffer, arrived_ns: int) -> None:
        active, seat = self._seated(session, message.match, ply=message.ply)
        self.runner.post(active, events.DrawOffered(seat, message.ply, self.runner.now_ns()))

    def _take_back(self, session: BotSession, message: TakeBack, arrived_ns: int) -> None:
        active, seat = self._seated(session, message.match, ply=message.ply)
        self.runner.post(active, events.TakeBackAsked(seat, message.ply, self.runner.now_ns(), message.agree))

    # --- tasks ---

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task of the server's own; what it raises is logged."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a task of the server failed", exc_info=task.exception())

    async def settle(self) -> None:
        """Wait for the tasks under way."""
        while self._tasks:  # a task may start another one
            await asyncio.wait(set(self._tasks))


def type_of(message: ClientMessage) -> str:
    """The `type` field of a message."""
    return str(type(message).__struct_config__.tag)
