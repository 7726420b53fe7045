"""Who may give orders: the operator by token, or whoever sits at this machine; never a page of another site.

Without a token an order is taken only if the server listens on loopback alone, the connection comes from this machine,
the address typed is a loopback one (a foreign name that points here is how pages of other sites would come in), and no
proxy stands between. Every order is JSON by its Content-Type, which no page may send elsewhere unasked.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
from urllib.parse import urlsplit

from aiohttp import web

from server.accounts import Accounts
from server.line import is_loopback
from server.web.answers import Refusal

WRONG_AT_ONCE, WRONG_PER_SECOND = 20.0, 0.2  # wrong tokens and invite codes from one address
MOST_ADDRESSES = 10_000
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")


def host_of(request: web.Request) -> str:
    """The name or address in the Host header, without port; empty if there is none or it cannot be read."""
    try:
        return urlsplit(f"//{request.headers.get('Host', '')}").hostname or ""
    except ValueError:
        return ""


def is_loopback_name(host: str) -> bool:
    """Whether a name can only mean the machine of who typed it."""
    return host == "localhost" or host.endswith(".localhost") or is_loopback(host)


def address_of(request: web.Request) -> str:
    """Where a request comes from, for limits; the whole network of an IPv6 host."""
    remote = (request.remote or "").split("%", maxsplit=1)[0]
    try:
        address = ipaddress.ip_address(remote)
    except ValueError:
        return remote
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else remote


class WrongGuesses:
    """How many wrong secrets an address may still try: a bucket that refills slowly."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, float]] = {}

    def check(self, address: str) -> None:
        """Raise Refusal (429) for an address that has guessed too often."""
        left = self._now(address)
        if left < 1:
            wait = math.ceil((1 - left) / WRONG_PER_SECOND)
            raise Refusal(429, f"too many wrong secrets from here; try again in {wait} s", Retry_After=str(wait))

    def count(self, address: str) -> None:
        """One more wrong guess."""
        if len(self._left) >= MOST_ADDRESSES:
            self._left = {known: kept for known, kept in self._left.items() if self._now(known) < WRONG_AT_ONCE}
        if len(self._left) < MOST_ADDRESSES or address in self._left:
            self._left[address] = self._now(address) - 1, asyncio.get_running_loop().time()

    def _now(self, address: str) -> float:
        left, at = self._left.get(address, (WRONG_AT_ONCE, 0.0))
        return min(WRONG_AT_ONCE, left + (asyncio.get_running_loop().time() - at) * WRONG_PER_SECOND)


class Guard:
    """Lets orders pass or refuses them."""

    def __init__(self, accounts: Accounts, bound_to: str) -> None:
        """bound_to: the host that the pages listen on."""
        self._accounts = accounts
        self._local_only = is_loopback_name(bound_to)
        self.guesses = WrongGuesses()

    def check_sender(self, request: web.Request) -> None:
        """Refuse what a page of another site makes a browser send. Raises Refusal (403)."""
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != request.headers.get("Host"):
            raise Refusal(403, "pages of other sites cannot give orders here")
        if self._local_only and not is_loopback_name(host_of(request)):
            raise Refusal(403, "this server listens on this machine only; use its loopback address, such as 127.0.0.1")

    def check_operator(self, request: web.Request) -> None:
        """Let only the operator pass. Raises Refusal (401, 403, 429)."""
        self.check_sender(request)
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if not token and self._sits_here(request):
            return
        address = address_of(request)
        self.guesses.check(address)
        if scheme.casefold() == "bearer" and token.isascii() and self._accounts.is_operator(token.strip()):
            return
        if token:
            self.guesses.count(address)
        asked = "the operator's token is not right" if token else "this order needs the operator's token"
        raise Refusal(401, f"{asked} (Authorization: Bearer ...)", WWW_Authenticate='Bearer realm="tabiya"')

    def _sits_here(self, request: web.Request) -> bool:
        return (
            self._local_only
            and is_loopback(request.remote or "")
            and not any(header in request.headers for header in PROXY_HEADERS)
        )
