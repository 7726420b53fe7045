"""One bot on one server: its connections one after another, its session and its hooks."""

from __future__ import annotations

import asyncio
import importlib.metadata
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from random import Random
from typing import Any, NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.http11 import Response
from websockets.typing import Subprotocol

from tabiya.bots.client.address import error_sentence, find_websocket, is_loopback, parse_address
from tabiya.bots.client.backoff import backoff_delays, busy_delay
from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.class_check import check_choose, check_fields, remarks
from tabiya.bots.client.errors import ClientError, Rejected, Unreachable
from tabiya.bots.client.events import REMARK, Connected, Disconnected, Event, Listener, MatchBegan, MatchOver, Note
from tabiya.bots.client.failure import AnswerError
from tabiya.bots.client.hooks import BotHooks, OnError, call, in_thread
from tabiya.bots.client.session import (
    Abort,
    Action,
    AskAboutChallenge,
    AskAboutDraw,
    CloseConnection,
    MatchMissed,
    Notify,
    RetryLater,
    Send,
    Session,
    SessionConfig,
    StopThinking,
    Think,
)
from tabiya.bots.client.summary import Summary
from tabiya.protocol.codec import SUBPROTOCOLS, CodecError, Encoding, decode_server, encode
from tabiya.protocol.codes import CloseCode, RefusalCode, close_text, should_reconnect
from tabiya.protocol.limits import DEFAULT_LIMITS
from tabiya.protocol.messages import (
    Busy,
    Challenged,
    ChallengeEnded,
    ClientMessage,
    MatchEnded,
    MatchStarted,
    Notice,
    Refused,
    ServerMessage,
    Welcome,
)

OPEN_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 2.0
PING_INTERVAL_S = 20.0
PING_TIMEOUT_S = 60.0  # generous: an `async def choose` that blocks the loop looks like a dead server
FAILOVER_TIMEOUT_S = 3.0  # instead of both where there are several servers: another one may have taken over
NORMAL = 1000
GOING_AWAY = 1001
BROKEN = 1006  # no close frame came


class RunConfig(NamedTuple):
    """How a bot is run.

    address: of the server, or of several that take over from one another, with commas between.
    first_attempts_s: how long to try while no server answers at first; 0: once.  reconnect_s: how long to try again
    after a connection.  encodings: offered to the server, the preferred one first.
    """

    address: str
    session: SessionConfig
    on_error: OnError = OnError.RESIGN
    first_attempts_s: float = 0.0
    reconnect_s: float = 3600.0
    encodings: tuple[Encoding, ...] = (Encoding.MSGPACK, Encoding.JSON)


def library() -> str:
    """Name and version of this client, for the server's log."""
    try:
        return f"tabiya-python/{importlib.metadata.version('tabiya')}"
    except importlib.metadata.PackageNotFoundError:  # run from the sources
        return "tabiya-python"


class Client:
    """One bot on one server, from `prepare` to `close`. Clock, waiting and chance can be given for tests."""

    def __init__(
        self,
        bot: Bot,
        config: RunConfig,
        listener: Listener,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        session: Session | None = None,
    ) -> None:
        """session: another one for `config.session`, such as one that lets somebody else decide about challenges."""
        self.bot, self.config = bot, config
        self.session = session or Session(config.session)
        self.summary = Summary(config.session.name)
        self._listener, self._clock, self._sleep = listener, clock, sleep
        self._random = random or Random()
        self._delays = backoff_delays(self._random)
        self._hooks = BotHooks(
            bot, config.on_error, listener, self._chosen, self._draw_accepted, self._challenge_answered
        )
        self._socket: ClientConnection | None = None
        self._encoding = Encoding.MSGPACK
        self._addresses = [each.strip() for each in config.address.split(",")]
        self._attempts = 0
        self._url = ""
        self._timers: set[asyncio.Task[None]] = set()

    async def run(self) -> Summary:
        """Play until the matches wanted are played; forever if none is said.

        Raises ClientError: Unreachable, AddressError, or Rejected when trying again cannot help.
        """
        for address in self._addresses:
            parse_address(address)  # a misspelt one is said before `prepare`, which may compile for minutes
        session = self.config.session
        games = dict.fromkeys([*session.games, *(seek.game for seek in session.seeks)])
        self._check_class()
        try:
            await call(self.bot.prepare, tuple(games))
            await self._stay_connected()
            await self._hooks.finish()
        finally:
            # tasks that still think or wait end first: they use what the bot's `close` releases
            await self._hooks.close()
            await _cancelled(self._timers)
            await call(self.bot.close)
        return self.summary

    def _check_class(self) -> None:
        kind = type(self.bot)
        try:
            check_choose(kind, Bot)
            check_fields(self.bot)
        except AnswerError as error:
            raise ClientError(f"{kind.__name__}: {error}") from None
        for sentence in remarks(kind, Bot):
            self._notify(Note(f"{REMARK}{sentence}"))

    async def send_message(self, message: ClientMessage) -> bool:
        """Send a message that the session does not send by itself, such as a challenge; False without a connection."""
        if self._socket is None or not self.session.connected:
            return False
        await self._send(message)
        return True

    async def _stay_connected(self) -> None:
        patience_s, since_s = self.config.first_attempts_s, self._clock()
        while True:
            cause, problem = await self._connection()
            if self.session.connected:  # it was welcomed; the session is notified of the lost connection only now
                patience_s, since_s = self.config.reconnect_s, self._clock()
                self._delays = backoff_delays(self._random)
            elif isinstance(cause, ConnectionClosed):  # the server is there and busy
                patience_s = self.config.reconnect_s
            self.session.lost()
            if self.session.done:
                return
            self._attempts += 1
            have_all_been_tried = self._attempts % len(self._addresses) == 0
            delay_s = busy_delay(self._random, self.session.busy_ms)
            if have_all_been_tried:
                delay_s = max(delay_s, next(self._delays))
            if have_all_been_tried and self._clock() + delay_s - since_s > patience_s:
                raise Unreachable(problem) from cause
            self._notify(Disconnected(problem, delay_s))
            await self._sleep(delay_s)

    async def _connection(self) -> tuple[Exception, str]:
        """One connection from end to end.  Returns why it ended, raises ClientError if that is final."""
        address = self._addresses[self._attempts % len(self._addresses)]
        try:
            self._url = await in_thread(find_websocket, address)
            async with self._connect() as socket:
                return await self._serve(socket)
        except Unreachable as error:
            return error, str(error)
        except InvalidStatus as error:
            return error, _refused(self._url, error.response)
        except InvalidHandshake as error:
            return error, _no_server(self._url, str(error))
        except (OSError, EOFError) as error:
            return error, f"no server answers at {address} ({_reason(error)})"
        except ConnectionClosed:  # reset before the handshake had begun; not by a server that has said so
            return ConnectionResetError(), f"no server answers at {address} (the connection broke)"

    def _connect(self) -> connect:
        host, are_several = parse_address(self._url).host, len(self._addresses) > 1
        return connect(
            self._url,
            subprotocols=[Subprotocol(encoding.subprotocol) for encoding in self.config.encodings],
            compression=None,  # frames are small, and the server offers none
            proxy=None if is_loopback(host) else True,  # True: the one that the environment names, if any
            user_agent_header=library(),
            open_timeout=OPEN_TIMEOUT_S,
            close_timeout=CLOSE_TIMEOUT_S,
            ping_interval=FAILOVER_TIMEOUT_S if are_several else PING_INTERVAL_S,
            ping_timeout=FAILOVER_TIMEOUT_S if are_several else PING_TIMEOUT_S,
            max_size=DEFAULT_LIMITS.server_frame_bytes,
        )

    async def _serve(self, socket: ClientConnection) -> tuple[Exception, str]:
        if socket.subprotocol not in SUBPROTOCOLS:
            raise Unreachable(_no_server(self._url, "it speaks none of our encodings"))
        self._encoding = Encoding(socket.subprotocol.rpartition(".")[2])
        self._socket = socket
        try:
            await self._send(self.session.hello())
            while True:
                await self._read(await socket.recv())
        except ConnectionClosed as closed:
            return self._closed(closed)
        except (asyncio.CancelledError, ClientError):
            await socket.close(GOING_AWAY, "the bot stops")
            raise
        finally:
            self._socket = None

    def _closed(self, closed: ConnectionClosed) -> tuple[Exception, str]:
        """Why the connection ended, in words.  Raises Rejected when trying again cannot help."""
        code = closed.rcvd.code if closed.rcvd else BROKEN
        reason = closed.rcvd.reason if closed.rcvd else ""
        if not should_reconnect(code):
            text = close_text(CloseCode(code))
            cause = (reason or text.cause).rstrip(".")
            raise Rejected(f"the server closed the connection: {cause}. {text.cure}", code) from closed
        if code == BROKEN:
            return closed, "the connection broke"
        return closed, f"the server closed the connection ({reason or f'code {code}'})"

    async def _read(self, frame: str | bytes) -> None:
        now_s = self._clock()
        try:
            message = decode_server(frame, self._encoding)
        except CodecError as error:
            # A newer server may send messages that this client does not know; they may be ignored.
            if error.code is not RefusalCode.UNKNOWN_TYPE:
                self._notify(Note(f"a message of the server could not be read: {error}"))
            return
        await self._carry_out(self.session.received(message, now_s))

    async def _carry_out(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Send():
                    await self._send(action.message)
                case Think():
                    self._hooks.think(action)
                case StopThinking():
                    self._hooks.stop(action.number)
                case AskAboutDraw():
                    self._hooks.ask_draw(action)
                case AskAboutChallenge():
                    self._hooks.ask_challenge(action)
                case Notify():
                    self._dispatch(action.message)
                case RetryLater():
                    self._later(action)
                case MatchMissed():
                    self.summary = self.summary.counting(None)
                    self._notify(Note(f"match {action.match} ended while the bot was not connected"))
                case CloseConnection():
                    await self._finish()
                case Abort():
                    raise ClientError(action.text)

    async def _send(self, message: ClientMessage) -> None:
        """Send, or drop: an answer lost with its connection is sent again when its turn comes again."""
        if self._socket is None:
            return
        try:
            await self._socket.send(encode(message, self._encoding))
        except ConnectionClosed:
            return

    async def _finish(self) -> None:
        if self._socket is not None:
            await self._socket.close(NORMAL, "all matches played")

    def _later(self, action: RetryLater) -> None:
        task = asyncio.create_task(self._retry(action))
        self._timers.add(task)  # asyncio itself keeps no task alive
        task.add_done_callback(self._timers.discard)

    async def _retry(self, action: RetryLater) -> None:
        await self._sleep(busy_delay(self._random, action.retry_ms))
        await self._carry_out(self.session.retry(action.about))

    async def _chosen(self, number: int, choice: Choice) -> None:
        await self._carry_out(self.session.chosen(number, choice))

    async def _draw_accepted(self, match: int, ply: int) -> None:
        await self._carry_out(self.session.accept_draw(match, ply))

    async def _challenge_answered(self, challenge: Challenged, accepted: bool) -> None:
        await self._carry_out(self.session.challenge_answered(challenge, accepted))

    def _dispatch(self, message: ServerMessage) -> None:
        """Tell the listener, and the bot where it has a hook."""
        match message:
            case Welcome():
                self.summary = self.summary._replace(name=message.name)
                self._notify(Connected(self._url, message, bool(self.config.session.seeks)))
                unknown = [game for game in self.config.session.games if game not in message.games]
                if unknown:
                    there = ", ".join(message.games)
                    self._notify(Note(f"the server does not have {', '.join(unknown)} (it has: {there})"))
            case MatchStarted():
                self._notify(MatchBegan(message))
                self._hooks.started(message)
            case MatchEnded():
                self.summary = self.summary.counting(message.score)
                self._notify(MatchOver(message))
                self._hooks.ended(message)
            case Refused():
                at = f" in match {message.match}, ply {message.ply}" if message.match is not None else ""
                self._notify(
                    Note(f"{message.about or 'a message'} was refused{at}: {message.message} ({message.code})")
                )
            case Busy():
                self._notify(Note(f"the server is busy: {message.message or message.about}"))
            case Notice():
                self._notify(Note(message.text))
            case ChallengeEnded() if message.outcome != "accepted":
                why = f": {message.reason}" if message.reason else ""
                self._notify(Note(f"the challenge between it and {message.opponent} was {message.outcome}{why}"))
            case _:
                pass

    def _notify(self, event: Event) -> None:
        self._listener(event)


def _no_server(url: str, what: str) -> str:
    return f"{url} answers, but not as a Tabiya server ({what})"


def _refused(url: str, response: Response) -> str:
    """Status and sentence of a refused handshake: 503 of a standby or of a server that closes, 502 of a proxy."""
    sentence = error_sentence(bytes(response.body or b""))
    status = f"HTTP {response.status_code}" + (f": {sentence}" if sentence else "")
    if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return f"{url} takes no bots now ({status})"
    return _no_server(url, status)


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


async def _cancelled(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
