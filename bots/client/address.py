"""Finds the websocket address of the server from an address that a person typed.

    find_websocket("ws://host:8765")   the websocket itself, nothing is asked
    find_websocket("http://host:8000") the pages; GET /api/v1/server answers {"websocket": "ws://host:8765"}
    find_websocket("host:8000")        the pages, or, if no server answers there like that, the websocket itself

Blocking (urllib): call it from a thread.
"""

import contextlib
import http.client
import ipaddress
import json
import urllib.error
import urllib.request
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from tabiya.bots.client.errors import AddressError, Unreachable

TIMEOUT_S = 5.0
LARGEST_ANSWER = 65_536
LARGEST_SENTENCE, LONGEST_SENTENCE = 4_096, 300  # bytes read of an error; characters shown
PLAIN_HTTP = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")  # OpenSSL's reasons for an answer without TLS, by version
ALLOWED = "write HOST:PORT, http://HOST:PORT (the pages) or ws://HOST:PORT (the websocket)"


class Address(NamedTuple):
    """scheme: as typed, empty when none was.  host, port: of the server; port None for the scheme's own."""

    scheme: str
    host: str
    port: int | None
    path: str

    def url(self, scheme: str) -> str:
        """The address with another scheme."""
        return urlunsplit((scheme, netloc(self.host, self.port), self.path, "", ""))


def parse_address(text: str) -> Address:
    """The parts of an address.  Raises AddressError."""
    typed = text.strip()
    try:
        parts = urlsplit(typed if "://" in typed else f"//{typed}")
    except ValueError as error:
        raise AddressError(f"{text!r} is not the address of a server ({error}); {ALLOWED}") from None
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        raise AddressError(
            f"{text!r} is not the address of a server: its port is no number up to 65535; {ALLOWED}"
        ) from None
    if parts.scheme not in ("", "ws", "wss", "http", "https") or not host or any(c.isspace() for c in typed):
        raise AddressError(f"{text!r} is not the address of a server; {ALLOWED}")
    if not parts.scheme and port is None:
        raise AddressError(f"{text!r} has no port; {ALLOWED}")
    return Address(parts.scheme, host, port, parts.path.rstrip("/"))


def netloc(host: str, port: int | None) -> str:
    """`host:port`, with the brackets that IPv6 needs."""
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def is_loopback(host: str) -> bool:
    """Whether the host is this machine; proxies are then left out."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def find_websocket(text: str, timeout_s: float = TIMEOUT_S) -> str:
    """The websocket address behind `text`, asked from the server if need be.

    Raises AddressError, and Unreachable when nobody answers or something else than a game server does.
    """
    address = parse_address(text)
    if address.scheme in ("ws", "wss"):
        return address.url(address.scheme)
    try:
        answer = _get(address.url(address.scheme or "http") + "/api/v1/server", address.host, timeout_s)
    except (urllib.error.HTTPError, http.client.HTTPException, UnicodeError) as error:
        # Something listens and is no server of pages; it may be the websocket itself, which says so by status 426.
        if not address.scheme:
            return address.url("ws")
        if isinstance(error, urllib.error.HTTPError) and error.code == http.HTTPStatus.UPGRADE_REQUIRED:
            return address.url("wss" if address.scheme == "https" else "ws")
        raise Unreachable(f"{text} answers, but not as a Tabiya server ({error})") from error
    except OSError as error:
        raise Unreachable(f"no server answers at {text} ({_cause(error)})") from error
    return _websocket_of(answer, address, text)


def _get(url: str, host: str, timeout_s: float) -> bytes:
    # a proxy would look for this machine's address on its own
    handlers = [urllib.request.ProxyHandler({})] if is_loopback(host) else []
    opener = urllib.request.build_opener(*handlers)
    try:
        with opener.open(url, timeout=timeout_s) as response:
            body: bytes = response.read(LARGEST_ANSWER)  # limit: an unknown program there may send forever
            return body
    except urllib.error.HTTPError as error:
        with contextlib.suppress(OSError, http.client.HTTPException):
            error.msg = error_sentence(error.read(LARGEST_SENTENCE)) or error.msg
        error.close()  # it holds the connection
        raise


def error_sentence(body: bytes) -> str:
    """The sentence of a server that refuses a request, as JSON or plain text; empty for a page or nothing."""
    text = body.decode(errors="replace")
    try:
        text = str(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        text = "" if text.lstrip().startswith(("<", "{", "[")) else text
    printable = "".join(letter if letter.isprintable() else " " for letter in text)  # because it is shown in a terminal
    return " ".join(printable.split())[:LONGEST_SENTENCE]


def _cause(error: OSError) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if getattr(reason, "reason", "") in PLAIN_HTTP:
        return "it speaks no TLS: write http:// for https://"
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__


def _websocket_of(answer: bytes, asked: Address, text: str) -> str:
    """The address in the server's answer; for "every interface" there, with the host that was asked."""
    try:
        found = json.loads(answer)["websocket"]
        address = parse_address(found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, AddressError) as error:
        if not asked.scheme:  # it answers HTTP and is no Tabiya server: the websocket handshake decides
            return asked.url("ws")
        raise Unreachable(
            f"{text} answers, but not as a Tabiya server (no websocket address in /api/v1/server)"
        ) from error
    if address.host in ("0.0.0.0", "::"):
        address = address._replace(host=asked.host)
    return address.url(address.scheme or "ws")
