"""Bots' messages to a host about its matches. The server has welcomed the bots; gateways tell who they are."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from tabiya.protocol.codec import CodecError
from tabiya.protocol.encodings import PROTOCOL_VERSION
from tabiya.protocol.messages import ClientMessage, Hello
from tabiya.server.config import ServerConfig
from tabiya.server.matches.dispatcher import MatchDispatcher
from tabiya.server.matches.runner import Runner
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.server.sessions.session import BotSession
from tabiya.server.transport.base import Clock, Connection
from tabiya.storage.records import BotId, BotRecord, MatchId, MatchRecord, ResultRecord
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.dispatcher")

MOST_WAITING = 64  # messages of a bot that is being introduced
ENDED_KEPT = 4_096  # remembered ended matches


class _NotPlayedHere(Exception):
    """The match is not played here yet, or no longer; its host asks for the move again."""


class HostDispatcher(MatchDispatcher):
    """A `GatewayHandler` for the matches of one host. on_ended: told of each match that has ended."""

    def __init__(self, store: Store, config: ServerConfig, now_ns: Clock, wall_ns: Clock) -> None:
        super().__init__(store, config, now_ns, wall_ns, Runner)
        self.on_ended: Callable[[ResultRecord], None] = lambda result: None
        self._arriving: dict[Connection, list[tuple[ClientMessage, int]]] = {}
        self._serverless_since_ns = 0  # the last time, if ever
        self._ended: deque[MatchId] = deque(maxlen=ENDED_KEPT)

    def is_new(self, match_id: MatchId) -> bool:
        """Whether a match is neither played here nor was."""
        return self.runner.active(match_id) is None and match_id not in self._ended

    def opened(self, connection: Connection) -> None:
        """A bot's connection was opened; its gateway says next which bot it is."""
        self._arriving[connection] = []

    def introduced(self, connection: Connection, bot_id: int, name: str, *, legal_moves: bool) -> None:
        """The server has welcomed this bot."""
        bot = BotRecord(id=BotId(bot_id), name=name, created_at=0.0)
        hello = Hello(name=name, protocol=PROTOCOL_VERSION, legal_moves=legal_moves)
        self.spawn(self._enter(BotSession(connection, bot, hello, authenticated=True)))

    async def _enter(self, session: BotSession) -> None:
        await self._drain_other_connection(session.name)
        waiting = self._arriving.pop(session.connection, None)
        if waiting is None or self._is_replaced(session):  # gone; and the server closes the older of two
            return
        since_ns = self._serverless_since_ns
        if session.connection.opened_ns > since_ns > 0 and self.runner.now_ns() < self._returns_until_ns(since_ns):
            self._lost.setdefault(session.bot.id, since_ns)
        self.sessions.add(session)
        self._credit_outage(session.bot.id)
        self.runner.connected(session)
        for message, arrived_ns in waiting:
            self.received(session.connection, message, arrived_ns)

    def serverless(self, since_ns: int) -> None:
        """No server has been heard since then, so bots that lost their connection cannot reconnect.

        That is nobody's fault, and not always seen here: so nothing is decided by time until they may be back.
        """
        self._serverless_since_ns, self._can_return_ns = since_ns, self.runner.now_ns()
        for active in self.runner.running():
            for seat in active.record.seats:
                if self.sessions.by_bot(seat.bot_id) is None:
                    self._lost.setdefault(seat.bot_id, since_ns)

    def _patience_s(self, bot_id: BotId) -> float:
        since_ns = self._lost.get(bot_id, self._serverless_since_ns)
        return max(0, self._returns_until_ns(since_ns) - self.runner.now_ns()) / 1e9 if since_ns else 0.0

    def received(self, connection: Connection, message: ClientMessage, arrived_ns: int) -> None:
        """A message that was read at `arrived_ns`."""
        session = self.sessions.by_connection(connection)
        waiting = self._arriving.get(connection)
        if session is not None:
            self._handle(session, message, arrived_ns)
        elif waiting is not None and len(waiting) < MOST_WAITING:
            waiting.append((message, arrived_ns))

    def unreadable(self, connection: Connection, error: CodecError, arrived_ns: int) -> None:
        """A frame about a match that is no message, or a move that counts but for its `info`."""
        session = self.sessions.by_connection(connection)
        if session is not None:
            self._unreadable_of(session, error, arrived_ns)

    def closed(self, connection: Connection) -> None:
        """The connection is gone."""
        self._arriving.pop(connection, None)
        session = self.sessions.remove(connection)
        if session is not None:
            self.runner.disconnected(session)

    def _handle(self, session: BotSession, message: ClientMessage, arrived_ns: int) -> None:
        try:
            super()._handle(session, message, arrived_ns)
        except _NotPlayedHere:
            log.debug("%s: about a match that is not here", session.connection.id, extra=session.log_fields)

    def _running(self, match_id: int, **about: Any) -> ActiveMatch:
        if self.is_new(MatchId(match_id)):
            raise _NotPlayedHere
        return super()._running(match_id, **about)

    def _match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        self._ended.append(record.id)
        self.on_ended(result)
