"""Authorisation of requests: operators and owners by token or by the session of a page, or local requests.

Foreign names and pages of other sites are refused before (server/transport/allowed_hosts.py). Without a token an order
is accepted only if the configuration allows it, the server listens on loopback alone, the connection comes from this
machine, the Host header is a loopback address, and no proxy header is set. Every order is JSON by its Content-Type,
which browsers do not send to another site unasked. One with a session in place of a token must say which page sent it
(Origin), which all browsers do; the cookie is not sent with requests that another site begins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from aiohttp import web

from tabiya.server.accounts.accounts import Accounts
from tabiya.server.accounts.web_sessions import WebSession, WebSessions
from tabiya.server.transport.addresses import is_loopback, is_loopback_name, network_of
from tabiya.server.transport.allowed_hosts import AllowedHosts, hostname
from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.http.route import Access
from tabiya.storage.records import BotRecord, MatchRecord

COOKIE = "tabiya_session"
OPERATOR = "operator"  # account name for the server's own operator token; no bot can have it
OTHER_SCHEME = " "  # for another scheme than Bearer; no token is a space
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")


class Sender(NamedTuple):
    """An operator who gives an order. name: of the account.  way: how it was shown that it is this one."""

    name: str
    way: str


SENDER = web.RequestKey("sender", Sender)
"""Of a request: the operator who sends it, once that is checked; not there where it is no operator's."""


def host_of(request: web.Request) -> str:
    """The name or address in the Host header, without port; empty if there is none or it cannot be read."""
    return hostname(request.headers.get("Host", ""))


def address_of(request: web.Request) -> str:
    """The address (or network) of a request's client, for limits."""
    return network_of(request.remote or "")


class Authorizer:
    """Checks the sender, token and role of requests."""

    def __init__(
        self,
        accounts: Accounts,
        sessions: WebSessions,
        bound_to: str,
        allowed_hosts: AllowedHosts,
        *,
        local_orders: bool = True,
    ) -> None:
        """bound_to: the host that the pages listen on.  local_orders: whether local requests need no token."""
        self._accounts, self._allowed_hosts, self._local_orders = accounts, allowed_hosts, local_orders
        self._sessions = sessions
        self._local_only = is_loopback_name(bound_to)

    async def check_access(self, request: web.Request, access: Access) -> None:
        """Let only those pass who have access to a route. Raises HttpError (401, 403, 429), StoreError."""
        if access == "operator":
            await self.check_operator(request)
        elif access == "worker":
            await self.check_worker(request)
        elif access == "sender":
            self.check_sender(request)

    def check_sender(self, request: web.Request) -> None:
        """Refuse orders to a server of this machine that ask for anything else. Raises HttpError (403)."""
        host = host_of(request)
        if self._local_only and not (is_loopback_name(host) or self._allowed_hosts.is_configured(host)):
            raise HttpError(
                403, "this server listens on this machine only; use its loopback address, such as 127.0.0.1"
            )

    async def check_operator(self, request: web.Request) -> None:
        """Let only operators pass. Raises HttpError (401, 403, 429), StoreError."""
        await self._check(request, lambda account: account.role == "operator", "the operator's token")

    async def check_worker(self, request: web.Request) -> None:
        """Let only workers and operators pass, on this machine too, for workers are lent tokens of bots.

        Raises HttpError (401, 403, 429).
        """
        self.check_sender(request)
        token = _token_of(request)
        if not token or not self._accounts.is_worker(token):
            await self._check_operators_token(request, token, "a worker's token")

    async def check_owner_or_operator(self, request: web.Request, bot: BotRecord) -> None:
        """Let the owner of a bot pass, by its token, and operators. Raises HttpError (401, 403, 429), StoreError."""

        def may(account: BotRecord) -> bool:
            return account.id == bot.id or account.role == "operator"

        await self._check(request, may, f"the token of {bot.name} or an operator's")

    async def check_player_or_operator(self, request: web.Request, match: MatchRecord) -> BotRecord | None:
        """Let the owners of the bots of a match pass, and operators; who it is, None for the server's own operator.

        Raises HttpError (401, 403, 429), StoreError.
        """
        players = {seat.bot_id: seat.bot for seat in match.seats}

        def may(account: BotRecord) -> bool:
            return account.id in players or account.role == "operator"

        return await self._check(request, may, f"the token of {' or '.join(players.values())}, or an operator's")

    async def owner(self, request: web.Request) -> BotRecord | None:
        """The bot whose token the request carries; None for the server's own operator token.

        Raises HttpError (401, 403, 429), StoreError.
        """
        self.check_sender(request)
        token = _token_of(request)
        if not token and (session := await self.session(request)) is not None:
            return session.bot
        bot = await self._accounts.owner(token) if token else None
        if bot is None:
            await self._check_operators_token(request, token, "a bot's token")
        return bot

    async def session(self, request: web.Request) -> WebSession | None:
        """The session whose cookie the request carries. Raises HttpError (403) for an order from nowhere."""
        secret = request.cookies.get(COOKIE, "")
        if secret and request.method not in ("GET", "HEAD") and "Origin" not in request.headers:
            raise HttpError(
                403, "a request with a login cookie needs the header Origin, which names the page that sent it"
            )
        return await self._sessions.find(secret)

    async def _check(self, request: web.Request, may: Callable[[BotRecord], bool], needed: str) -> BotRecord | None:
        """Let an account that `may` pass, which is returned, and the server's own operator (None)."""
        self.check_sender(request)
        token = _token_of(request)
        if not token and self._is_local_request(request):  # who shows a token wants it looked at, here too
            note_sender(request, None, "this machine")
            return None
        if not token and (session := await self.session(request)) is not None:
            if session.bot is None or may(session.bot):
                note_sender(request, session.bot, "session")
                return session.bot
            raise HttpError(403, f"you are signed in as {session.bot.name}, and this needs {needed}")
        # an account's token has 256 random bits and is looked at whatever was tried before: else anybody at the same
        # address could shut its owner out
        account = await self._accounts.owner(token) if token else None
        if account is None or not may(account):
            await self._check_operators_token(request, token, needed)
            account = None
        note_sender(request, account, "token")
        return account

    async def _check_operators_token(self, request: web.Request, token: str, needed: str) -> None:
        """Let the server's own operator token pass, which a person may have chosen: after too many guesses unseen."""
        self.check_wrong_guesses(request)
        if not token or not await self._accounts.is_operator(token):
            self._count(request, token)
            raise _unauthorized(needed, token)

    def check_wrong_guesses(self, request: web.Request) -> None:
        """Raise HttpError (429) for an address that has sent too many wrong secrets."""
        wait_s = self._accounts.guesses.wait_s(address_of(request))
        if wait_s:
            raise HttpError(429, f"too many wrong secrets from here; try again in {wait_s} s", Retry_After=str(wait_s))

    def count_wrong_guess(self, request: web.Request) -> None:
        self._accounts.guesses.spend(address_of(request))

    def _count(self, request: web.Request, token: str) -> None:
        if token:  # a missing token is no guess
            self.count_wrong_guess(request)

    def _is_local_request(self, request: web.Request) -> bool:
        return (
            self._local_orders
            and self._local_only
            and is_loopback(request.remote or "")
            and is_loopback_name(host_of(request))
            and not any(header in request.headers for header in PROXY_HEADERS)
        )


def note_sender(request: web.Request, account: BotRecord | None, way: str) -> None:
    """Say of a request that it is an operator's, if it is. account: None for the server's own operator."""
    if account is None or account.role == "operator":
        request[SENDER] = Sender(account.name if account else OPERATOR, way)


def _token_of(request: web.Request) -> str:
    """The token in `Authorization: Bearer TOKEN`; empty if there is none, OTHER_SCHEME for another scheme."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.casefold() in ("", "bearer") else OTHER_SCHEME


def _unauthorized(needed: str, token: str) -> HttpError:
    asked = f"{needed} is not right" if token else f"this needs {needed}"
    return HttpError(401, f"{asked} (Authorization: Bearer ...)", WWW_Authenticate='Bearer realm="tabiya"')
