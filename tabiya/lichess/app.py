"""The HTTP of Lichess's API: addresses, tokens, streams of JSON lines, errors as Lichess gives them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from http import HTTPStatus
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from tabiya.api_client.api import Api, Refused, with_token
from tabiya.api_client.settings import ClientSettings
from tabiya.bots.players.catalogue import CHESS
from tabiya.errors import UserError
from tabiya.lichess.challenges import Answer
from tabiya.lichess.feed import Feed
from tabiya.lichess.forms import COLOURS, VARIANTS, Json
from tabiya.lichess.link import Link
from tabiya.lichess.players import Players
from tabiya.lichess.refusal import Refusal
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Seek
from tabiya.protocol.time_control import TimeControlError, parse
from tabiya.server.web.http.connection_limits import HttpConnectionLimiter, LimitedAppRunner
from tabiya.server.web.http.json_responses import HttpError

log = logging.getLogger("tabiya.lichess")

KEEP_ALIVE_S = 6.0  # between two empty lines of a quiet stream: clients take a stream for dead after nine seconds
START_GAP_S = 0.1
"""Between two games that begin at once: lichess-bot would play the second of them twice, and the first not at all.

It gives both to its processes in one dictionary, which is read a moment later.
"""
WRITE_S = 20.0  # a client that reads nothing for this long is disconnected
LINGER_S = 20.0  # how long a silent bot stays connected: streams are lost and come back
MOST_LINKS = 1_000
MOST_BODY_BYTES = 16_384
LONGEST_TOKEN = 200
NO_ABORT = "Games cannot be aborted here: the opponent's clock runs, and who does not come loses"
NO_CLAIM = "Nothing can be claimed here: the server itself ends games of bots that are gone"
NO_TAKE_BACK = "No takeback is open: they are agreed to without asking, in games that are not rated"
ONLY_THESE = "Only standard chess from its usual start is played here, and Chess960 from a start that is drawn"
LINK = web.RequestKey("link", Link)
LINES = "application/x-ndjson"
OK: Json = {"ok": True}


class LichessApi:
    """Lichess's API over the bots of one server: `port = await start(host, port)`, later `await stop()`."""

    def __init__(
        self, settings: ClientSettings, *, seek: str = "", games: Iterable[str] = (CHESS,), at_once: int = 1
    ) -> None:
        """seek: the time control in which matches of these games are sought for every bot; empty: none are.

        at_once: matches of one bot at the same time.
        """
        self._settings, self._at_once = settings, at_once
        self._seeks = tuple(Seek(game=game, time=seek) for game in games) if seek else ()
        self._api = Api(settings)
        self._players = Players(self._api, time.monotonic)
        self._links: dict[str, Link] = {}  # by token
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._streams: set[asyncio.Task[Any]] = set()
        self._limiter = HttpConnectionLimiter(WireLimits())
        self._runner: LimitedAppRunner | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; the port, chosen by the system for 0. Raises OSError."""
        runner = LimitedAppRunner(self._application(), self._limiter, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        self._runner = runner
        await web.TCPSite(runner, host, port, reuse_address=True).start()
        return int(runner.addresses[0][1])

    async def stop(self) -> None:
        """End the streams and disconnect the bots; their matches go on without them."""
        self._limiter.close()
        for timer in self._timers.values():
            timer.cancel()
        for stream in self._streams:
            stream.cancel()
        if self._runner is not None:
            await self._runner.cleanup()
        await asyncio.gather(*(link.close() for link in self._links.values()), *self._closing)

    def _application(self) -> web.Application:
        app = web.Application(middlewares=[self._middleware], client_max_size=MOST_BODY_BYTES)
        game = "/api/bot/game/{game}"
        for method, path, handler in (
            ("POST", "/api/token/test", self._test_tokens),
            ("GET", "/api/account", self._account),
            ("GET", "/api/account/playing", self._playing),
            ("POST", "/api/bot/account/upgrade", self._nothing_to_do),
            ("GET", "/api/stream/event", self._events),
            ("GET", "/api/bot/game/stream/{game}", self._game),
            ("POST", f"{game}/move/{{move}}", self._move),
            ("POST", f"{game}/resign", self._resign),
            ("POST", f"{game}/draw/{{accept:yes|no|true|false}}", self._draw),
            ("POST", f"{game}/abort", _refuses(NO_ABORT)),
            ("POST", f"{game}/takeback/{{accept}}", _refuses(NO_TAKE_BACK)),
            ("POST", f"{game}/claim-victory", _refuses(NO_CLAIM)),
            ("POST", f"{game}/claim-draw", _refuses(NO_CLAIM)),
            ("POST", f"{game}/chat", self._nothing_to_do),
            ("GET", f"{game}/chat", self._no_lines),
            ("GET", "/api/challenge", self._challenges),
            ("POST", "/api/challenge/{opponent}", self._challenge),
            ("POST", "/api/challenge/{challenge}/accept", self._accept),
            ("POST", "/api/challenge/{challenge}/decline", self._decline),
            ("POST", "/api/challenge/{challenge}/cancel", self._cancel),
            ("GET", "/api/bot/online", self._online),
            ("GET", "/api/users/status", self._statuses),
            ("GET", "/api/user/{name}", self._user),
            ("GET", "/game/export/{game}", self._export),
        ):
            app.router.add_route(method, path, handler)
        return app

    # --- who asks, and errors

    @web.middleware
    async def _middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            self._limiter.request_started(request)
            if request.match_info.http_exception is None and handler != self._test_tokens:
                token, request[LINK] = await self._link_of(request)
                with self._kept(token, request[LINK]):
                    return await handler(request)
            return await handler(request)
        except Refusal as error:
            return _error(error.status, str(error))
        except HttpError as error:
            return _error(error.status, error.sentence)
        except web.HTTPException as error:
            return _error(error.status, HTTPStatus(error.status).phrase)
        except UserError as error:
            return _error(error.code if isinstance(error, Refused) else 503, str(error))
        except ConnectionError:  # the client has gone while it was answered
            raise
        except Exception:
            log.exception("an internal error in answering %s", request.path)
            return _error(500, "An error of this server; its log says more")
        finally:
            self._limiter.request_finished(request)

    async def _link_of(self, request: web.Request) -> tuple[str, Link]:
        """The bot whose token the request carries. Raises Refusal."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        token = token.strip()
        if token in self._links and self._links[token].rejected:  # it is checked again
            self._drop(token)
        if token not in self._links:
            name = await self._name_of(token) if scheme.lower() == "bearer" else ""
            if not name:
                raise Refusal(401, "No such token")
            if len(self._links) >= MOST_LINKS:
                raise Refusal(503, "Too many bots are connected here")
            # others may have come by the same token meanwhile
            self._links.setdefault(token, self._new_link(name, token))
        return token, self._links[token]

    def _new_link(self, name: str, token: str) -> Link:
        return Link(
            name, token, self._settings.server, self._api, self._players, seek=self._seeks, at_once=self._at_once
        )

    async def _name_of(self, token: str) -> str:
        """The bot that a token belongs to; empty for none. Raises Refusal (429), UserError."""
        if not 0 < len(token) <= LONGEST_TOKEN or not token.isascii() or not token.isprintable():
            return ""
        try:
            account = await asyncio.to_thread(with_token(self._settings, token).get, "/account")
        except Refused as error:
            if error.code == 429:
                raise Refusal(429, str(error)) from None
            if error.code < 500:
                return ""
            raise
        return "" if account["shut_out"] else str(account["name"])

    @contextlib.contextmanager
    def _kept(self, token: str, link: Link) -> Any:
        """While a request of it is answered, and for a moment after, a bot stays connected."""
        link.streams += 1
        if timer := self._timers.pop(token, None):
            timer.cancel()
        try:
            yield
        finally:
            link.streams -= 1
            if not link.streams and self._links.get(token) is link:
                loop = asyncio.get_running_loop()
                self._timers[token] = loop.call_later(LINGER_S, self._drop, token)

    def _drop(self, token: str) -> None:
        if timer := self._timers.pop(token, None):
            timer.cancel()
        task = asyncio.create_task(self._links.pop(token).close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _test_tokens(self, request: web.Request) -> web.Response:
        tokens = (await request.text()).split(",")
        if len(tokens) > 10:
            raise Refusal(400, "At most 10 tokens at once")
        owners: Json = {}
        for token in tokens:
            name = await self._name_of(token.strip())
            scopes = "bot:play,challenge:read,challenge:write"
            owners[token] = {"userId": name.lower(), "scopes": scopes, "expires": None} if name else None
        return web.json_response(owners)

    # --- accounts

    async def _nothing_to_do(self, request: web.Request) -> web.Response:
        """Every account is one of a bot; there is no chat that a message could be told in."""
        return web.json_response(OK)

    async def _no_lines(self, request: web.Request) -> web.Response:
        return web.json_response([])

    async def _account(self, request: web.Request) -> web.Response:
        players = request[LINK].players
        await players.prepare()
        return web.json_response(players.profile(request[LINK].name))

    async def _user(self, request: web.Request) -> web.Response:
        players = request[LINK].players
        name = await players.known(request.match_info["name"])
        await players.prepare()
        return web.json_response(players.profile(name))

    async def _online(self, request: web.Request) -> web.Response:
        players = request[LINK].players
        await players.prepare()
        names = await players.online()
        lines = [json.dumps(players.profile(name)) for name in names[: _whole(request.query.get("nb", ""), 512)]]
        return web.Response(text="".join(f"{line}\n" for line in lines), content_type=LINES)

    async def _statuses(self, request: web.Request) -> web.Response:
        online = {name.lower() for name in await request[LINK].players.online()}
        asked = [name.strip() for name in request.query.get("ids", "").split(",")][:100]
        statuses = [{"id": name.lower(), "name": name, "online": name.lower() in online} for name in asked if name]
        return web.json_response(statuses)

    # --- games

    async def _playing(self, request: web.Request) -> web.Response:
        await request[LINK].connected()
        await request[LINK].players.prepare()  # clients ask this before they answer a challenge
        return web.json_response({"nowPlaying": [game.summary() for game in request[LINK].playing]})

    async def _game(self, request: web.Request) -> web.StreamResponse:
        await request[LINK].connected()
        game = request[LINK].game(request.match_info["game"])
        feed = game.follow()
        try:
            return await self._stream(request, feed)
        finally:
            game.leave(feed)

    async def _move(self, request: web.Request) -> web.Response:
        name, move = request.match_info["game"], request.match_info["move"]
        offers = request.query.get("offeringDraw") == "true"
        await request[LINK].connected()
        request[LINK].play(name, move, offers_draw=offers)
        return web.json_response(OK)

    async def _resign(self, request: web.Request) -> web.Response:
        await request[LINK].connected()
        await request[LINK].resign(request.match_info["game"])
        return web.json_response(OK)

    async def _draw(self, request: web.Request) -> web.Response:
        await request[LINK].connected()
        if request.match_info["accept"] in ("yes", "true"):
            await request[LINK].agree_to_draw(request.match_info["game"])
        return web.json_response(OK)

    async def _export(self, request: web.Request) -> web.Response:
        game = request[LINK].game(request.match_info["game"])
        text = await asyncio.to_thread(self._api.text, f"/matches/{game.match}/transcript")
        return web.Response(text=f"{text}\n", content_type="application/x-chess-pgn")

    # --- challenges

    async def _challenges(self, request: web.Request) -> web.Response:
        await request[LINK].connected()
        return web.json_response(request[LINK].challenges.open)

    async def _challenge(self, request: web.Request) -> web.StreamResponse:
        asked = await _fields(request)
        link, opponent = request[LINK], request.match_info["opponent"]
        game = {one["key"]: game for game, one in VARIANTS.items()}.get(asked.get("variant", "standard"))
        if game is None or asked.get("fen"):
            raise Refusal(400, ONLY_THESE)
        colour = asked.get("color") or "random"
        if colour not in (*COLOURS, "random"):
            raise Refusal(400, f"A color is white, black or random, not {colour[:20]!r}")
        time = f"{asked.get('clock.limit', '')}+{asked.get('clock.increment') or '0'}"
        try:
            parse(time)
        except TimeControlError:
            raise Refusal(400, "A challenge here has a clock: clock.limit and clock.increment in seconds") from None
        await link.connected()
        seat = COLOURS.index(colour) if colour in COLOURS else None
        rated = asked.get("rated", "").lower() == "true"
        form, ended = await link.challenges.challenge(opponent, game, time, rated=rated, seat=seat)
        if asked.get("keepAliveStream", "").lower() != "true":
            return web.json_response(form)
        return await self._challenge_stream(request, form, ended)

    async def _challenge_stream(self, request: web.Request, form: Json, ended: Answer) -> web.StreamResponse:
        """A challenge, and how it ends."""
        feed = Feed()
        feed.put(form)

        def on_answer(answer: Answer) -> None:
            if not answer.cancelled() and answer.exception() is None:
                outcome = answer.result().outcome
                feed.put({"done": outcome if outcome in ("accepted", "declined") else "canceled"})
            feed.end()

        ended.add_done_callback(on_answer)
        return await self._stream(request, feed)

    async def _accept(self, request: web.Request) -> web.Response:
        await request[LINK].connected()
        await request[LINK].challenges.accept(request.match_info["challenge"])
        return web.json_response(OK)

    async def _decline(self, request: web.Request) -> web.Response:
        reason = (await _fields(request)).get("reason", "generic")
        await request[LINK].connected()
        await request[LINK].challenges.decline(request.match_info["challenge"], reason[:100])
        return web.json_response(OK)

    async def _cancel(self, request: web.Request) -> web.Response:
        await request[LINK].connected()
        await request[LINK].challenges.cancel(request.match_info["challenge"])
        return web.json_response(OK)

    # --- streams

    async def _events(self, request: web.Request) -> web.StreamResponse:
        await request[LINK].connected()
        feed = request[LINK].follow()
        try:
            return await self._stream(request, feed)
        finally:
            request[LINK].leave(feed)

    async def _stream(self, request: web.Request, feed: Feed) -> web.StreamResponse:
        """Lines of JSON until the feed ends, with empty ones while nothing happens."""
        response = web.StreamResponse(headers={"Content-Type": LINES, "Cache-Control": "no-cache"})
        task = asyncio.current_task()
        assert task is not None
        self._streams.add(task)
        try:
            await response.prepare(request)
            async for line in lines(feed):
                async with asyncio.timeout(WRITE_S):
                    await response.write(line)
        except (ConnectionError, TimeoutError):  # it has gone, or reads nothing
            if request.transport is not None:
                request.transport.abort()
        finally:
            self._streams.discard(task)
        return response


async def lines(feed: Feed) -> AsyncIterator[bytes]:
    """The lines of a stream: JSON each, and an empty line after some time without one."""
    while True:
        try:
            line = await feed.next(KEEP_ALIVE_S)
        except TimeoutError:
            yield b"\n"
            continue
        if line is None:
            return
        yield json.dumps(line).encode() + b"\n"
        if line.get("type") == "gameStart":
            await asyncio.sleep(START_GAP_S)


def _refuses(sentence: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """A handler for what there is not here."""

    async def refuse(request: web.Request) -> web.StreamResponse:
        raise Refusal(400, sentence)

    return refuse


def _error(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)


async def _fields(request: web.Request) -> dict[str, str]:
    """The fields of a form, or of a JSON object, as texts. Raises Refusal (400)."""
    if request.content_type != "application/json":
        return {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    try:
        given = await request.json()
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise Refusal(400, "The body is no JSON object")
    fields = {name: value for name, value in given.items() if value is not None}
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}


def _whole(text: str, most: int) -> int:
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 10 else most
