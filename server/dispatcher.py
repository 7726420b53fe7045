"""Handles each message of each connection, in plain calls; only waiting for the store takes a task."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from tabiya.games.registry import names
from tabiya.protocol.codec import CodecError
from tabiya.protocol.codes import CloseCode, RefusalCode
from tabiya.protocol.encodings import PROTOCOL_VERSION
from tabiya.protocol.messages import (
    Accept,
    Busy,
    Challenge,
    ClientMessage,
    Decline,
    Hello,
    RunningMatch,
    Seek,
    Unseek,
    Unwatch,
    Watch,
    Welcome,
)
from tabiya.protocol.printable import printable
from tabiya.server.accounts.accounts import Accounts, NotAdmitted, NotNow
from tabiya.server.accounts.guest_secrets import GuestSecrets
from tabiya.server.config import ServerConfig
from tabiya.server.lobby.matchmaker import Matchmaker
from tabiya.server.matches.dispatcher import REPLACED, MatchDispatcher, type_of
from tabiya.server.matches.runner import Runner
from tabiya.server.matches.spectators import ConnectionViewer
from tabiya.server.sessions.session import BotSession, RefusalError
from tabiya.server.transport.base import Clock, Connection
from tabiya.storage.errors import StoreError
from tabiya.storage.records import BotId, MatchRecord, ResultRecord
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.dispatcher")

MESSAGES_BEFORE_WELCOME = 64
HELLO = "hello"
TOO_MANY = "too many messages before welcome"


class Dispatcher(MatchDispatcher):
    """Routes messages between connections, lobby and matches; a `tabiya.server.transport.base.MessageHandler`."""

    def __init__(
        self,
        store: Store,
        accounts: Accounts,
        config: ServerConfig,
        server_name: str,
        now_ns: Clock = time.monotonic_ns,
        wall_ns: Clock = time.time_ns,
        *,
        new_runner: Callable[..., Runner] = Runner,
    ) -> None:
        """server_name: name and version, told in `welcome`.  wall_ns: nanoseconds since 1970."""
        super().__init__(store, config, now_ns, wall_ns, new_runner)
        self._accounts, self._server_name = accounts, server_name
        self.matchmaker = Matchmaker(self.sessions, self.runner, self.match_factory, config, self.spawn, accounts.knows)
        self.runner.on_freed = self.matchmaker.plan_pairing
        self.runner.on_going_on = self.matchmaker.go_on
        accounts.on_token_changed = self._token_changed
        self._guests = GuestSecrets(lambda bot_id: bool(self.runner.matches_of(bot_id)))
        accounts.is_connected = lambda name: self.sessions.by_name(name) is not None or self._guests.is_held(name)
        self.on_ended: list[Callable[[MatchRecord, ResultRecord], None]] = []
        self.on_presence: list[Callable[[], None]] = []
        self.on_welcome: Callable[[Connection], None] = lambda connection: None
        self._arriving: dict[Connection, list[tuple[ClientMessage, int]]] = {}
        self._viewers: dict[Connection, ConnectionViewer] = {}
        self._handlers |= {
            Seek: lambda session, message, _: self.matchmaker.seek(session, message),
            Unseek: lambda session, message, _: self.matchmaker.unseek(session, message),
            Challenge: lambda session, message, _: self.matchmaker.challenge(session, message),
            Accept: lambda session, message, _: self.matchmaker.accept(session, message),
            Decline: lambda session, message, _: self.matchmaker.decline(session, message),
            Watch: self._watch,
            Unwatch: self._unwatch,
            Hello: self._hello_again,
        }

    def use(self, config: ServerConfig) -> None:
        """Use these settings for everything that begins from now on."""
        self._config = config
        self.match_factory.use(config)
        self.matchmaker.use(config)

    # --- what a transport calls ---

    def opened(self, connection: Connection) -> None:
        """A handshake is complete: `hello` is awaited."""
        self._arriving[connection] = []

    def received(self, connection: Connection, message: ClientMessage, arrived_ns: int) -> None:
        """A message that was read at `arrived_ns`."""
        session = self.sessions.by_connection(connection)
        if session is not None:
            self._handle(session, message, arrived_ns)
        elif connection in self._arriving:
            self._before_welcome(connection, message, arrived_ns)

    def unreadable(self, connection: Connection, error: CodecError, arrived_ns: int) -> None:
        """A frame that is no message, or a move that counts but for its `info`."""
        session = self.sessions.by_connection(connection)
        if session is None:
            self._unreadable_hello(connection, error)
        else:
            self._unreadable_of(session, error, arrived_ns)

    def _unreadable_hello(self, connection: Connection, error: CodecError) -> None:
        code = CloseCode.GARBAGE if error.garbage else CloseCode.BAD_HELLO
        is_hello = error.garbage or error.about == HELLO
        self._reject(connection, code, str(error) if is_hello else f"the first message is hello; {error}")

    def closed(self, connection: Connection) -> None:
        """The connection is gone."""
        self._arriving.pop(connection, None)
        self._stop_watching(connection)
        session = self.sessions.remove(connection)
        if session is not None:
            log.info("%s: %s is gone", connection.id, session.name, extra=session.log_fields)
            self.matchmaker.leave(session)
            self.runner.disconnected(session)
            self._guests.left(session.name)
            self._publish_presence()

    def gateway_of(self, bot_id: BotId) -> str:
        """The name of the gateway that holds the connection of a bot; empty if none does."""
        session = self.sessions.by_bot(bot_id)
        return getattr(session.connection, "gateway", "") if session is not None else ""

    # --- hello ---

    def _before_welcome(self, connection: Connection, message: ClientMessage, arrived_ns: int) -> None:
        waiting = self._arriving[connection]
        if not waiting and not isinstance(message, Hello):
            self._reject(connection, CloseCode.BAD_HELLO, f"the first message is hello, not {type_of(message)}")
        elif not waiting and isinstance(message, Hello):
            waiting.append((message, arrived_ns))  # the hello itself; what comes behind it waits for its answer
            self.spawn(self._admit(connection, message))
        elif len(waiting) < MESSAGES_BEFORE_WELCOME:
            waiting.append((message, arrived_ns))
        else:
            self._reject(connection, CloseCode.FLOOD, TOO_MANY)

    def _reject(self, connection: Connection, code: CloseCode, reason: str) -> None:
        """Close a connection that has not been welcomed; none of its messages is carried out."""
        self._arriving.pop(connection, None)
        connection.close(code, reason)

    async def _admit(self, connection: Connection, hello: Hello) -> None:
        if hello.protocol != PROTOCOL_VERSION:
            text = f"protocol {hello.protocol} is not supported (only {PROTOCOL_VERSION})"
            self._reject(connection, CloseCode.UNSUPPORTED_PROTOCOL, text)
            return
        await self._drain_other_connection(hello.name)
        try:
            bot, known = await self._accounts.admit(hello.name, hello.token, self._taken(hello), connection.address)
        except NotNow as error:
            connection.send(Busy(retry_ms=1_000 * error.wait_s, about="hello", message=str(error)))
            self._reject(connection, CloseCode.BUSY, str(error))
            return
        except NotAdmitted as error:
            code = CloseCode.BAD_TOKEN if hello.token or not self._accounts.open_to_all else CloseCode.BAD_HELLO
            self._reject(connection, code, str(error))
            return
        except StoreError as error:
            about = {"connection": connection.id, "bot": printable(hello.name)}
            log.error("%s: cannot admit %s: %s", connection.id, ascii(hello.name), error, extra=about)
            self._reject(connection, CloseCode.BUSY, "the server cannot reach its database; try again later")
            return
        waiting = self._arriving.pop(connection, None)
        if waiting is None:  # gone, or closed, while the store was asked
            return
        session = BotSession(connection, bot, hello, authenticated=known)
        if self._is_replaced(session):
            self._reject(connection, CloseCode.REPLACED, REPLACED)
            return
        self._welcome(session, hello)
        for message, arrived_ns in waiting[1:]:
            self.received(connection, message, arrived_ns)

    def _taken(self, hello: Hello) -> Callable[[str], bool]:
        """Whether a guest has this name, and the sender of this hello does not prove to be that guest."""

        def is_taken(name: str) -> bool:
            there = self.sessions.has_guest(name) or self._guests.is_held(name)
            return there and not self._guests.is_known(name, hello.resume or "")

        return is_taken

    def _token_changed(self, bot_id: BotId) -> None:
        """A bot's token became invalid: drop its messages from now on; its matches go on without it."""
        session = self.sessions.by_bot(bot_id)
        if session is not None:
            # in this order: closing lets the transport read on for a moment, and none of that may be carried out
            self.closed(session.connection)
            session.connection.close(CloseCode.TOKEN_REVOKED, "the token was revoked or replaced by a new one")

    def _welcome(self, session: BotSession, hello: Hello) -> None:
        connection = session.connection
        older = self.sessions.add(session)
        if older is not None:  # its matches get no absence event: the bot was connected all the time
            self.matchmaker.leave(older)
            self._stop_watching(older.connection)
            older.connection.close(CloseCode.REPLACED, REPLACED)
        self.on_welcome(connection)
        client = ascii(hello.client or "no client named")
        log.info("%s: %s is here, %s", connection.id, session.name, client, extra=session.log_fields)
        resume = "" if session.authenticated else self._guests.welcome(session.name, session.bot.id, hello.resume)
        connection.send(self._welcome_message(session, resume))
        self._credit_outage(session.bot.id)
        self.runner.connected(session)  # which sends its turns, so `welcome` must be on its way before
        for game in hello.seek:
            self._handle(session, Seek(game=game), self.runner.now_ns())
        self._publish_presence()

    def _welcome_message(self, session: BotSession, resume: str) -> Welcome:
        limits = self._config.limits
        running = []
        played = [active.record for active in self.runner.matches_of(session.bot.id) if not active.frozen]
        for record in (*played, *self.match_factory.left_to_hosts.values()):
            players = [seat.bot_id for seat in record.seats]
            if session.bot.id in players:
                seat = players.index(session.bot.id)
                opponent = record.seats[1 - seat].bot
                running.append(RunningMatch(match=record.id, game=record.game, seat=seat, opponent=opponent))
        return Welcome(
            name=session.name,
            server=self._server_name,
            protocol=PROTOCOL_VERSION,
            session=session.connection.id,
            authenticated=session.authenticated,
            rated=self._config.rate_guests or not session.bot.guest,
            games=names(),
            matches=tuple(running),
            limits=limits.for_bot(),
            resume=resume,
        )

    def _hello_again(self, session: BotSession, message: Hello, arrived_ns: int) -> None:
        raise RefusalError(RefusalCode.ALREADY_WELCOME, "hello is sent once; open a new connection to change it")

    # --- watching ---

    def _watch(self, session: BotSession, message: Watch, arrived_ns: int) -> None:
        self._running(message.match)
        spectators, most = self.runner.spectators, self._config.limits.watches_per_connection
        viewer = self._viewers.setdefault(session.connection, ConnectionViewer(session.connection))
        watched = spectators.watched_by(viewer)
        if len(watched) >= most and message.match not in watched:
            raise RefusalError(RefusalCode.LIMIT_REACHED, f"one connection watches at most {most} matches")
        if not spectators.watch(message.match, viewer):
            raise RefusalError(RefusalCode.LIMIT_REACHED, f"match {message.match} has as many watchers as are allowed")

    def _unwatch(self, session: BotSession, message: Unwatch, arrived_ns: int) -> None:
        viewer = self._viewers.get(session.connection)
        if viewer is None or message.match not in self.runner.spectators.watched_by(viewer):
            raise RefusalError(RefusalCode.NOT_WATCHING, f"match {message.match} is not watched", match=message.match)
        self.runner.spectators.unwatch(message.match, viewer)

    def _stop_watching(self, connection: Connection) -> None:
        viewer = self._viewers.pop(connection, None)
        if viewer is not None:
            self.runner.spectators.forget(viewer)

    # --- matches end; the server closes ---

    def _match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        self.matchmaker.match_ended(record)  # first: it must get the free seats even if one of the others fails
        for listener in self.on_ended:
            listener(record, result)

    def _publish_presence(self) -> None:
        for listener in self.on_presence:
            listener()
        self.matchmaker.plan_pairing()
