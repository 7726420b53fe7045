"""The JSON API of a running server, as the commands use it: standard library only. Paths are given within the API.

Control characters in what a server says are escaped here: its texts may come from anybody and end on a terminal.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tabiya.api_client.settings import ClientSettings
from tabiya.api_client.token_files import known_token
from tabiya.errors import UserError
from tabiya.protocol.printable import printable

if TYPE_CHECKING:
    from urllib.error import HTTPError
    from urllib.request import OpenerDirector

API = "/api/v1"
TIMEOUT_S = 30.0
RETRY_S, PAUSE_S = 60.0, 0.5  # for how long a request with a key is repeated if its answer was lost
MOST_BYTES = 64 * 1024 * 1024  # of one answer: an unknown program there may send forever
PIECE_BYTES = 65_536


class NoAnswer(UserError):
    """No answer came.  was_asked: a server was there and may have received the request."""

    def __init__(self, text: str, *, was_asked: bool) -> None:
        super().__init__(text)
        self.was_asked = was_asked


class Refused(UserError):
    """The server has answered with an error.  code: its HTTP status.  field: of what was asked, if one is wrong."""

    def __init__(self, text: str, code: int, field: str = "") -> None:
        super().__init__(text)
        self.code, self.field = code, field


class Api:
    """One server's API. Every method raises UserError with one sentence when it does not get what it wants."""

    def __init__(self, settings: ClientSettings) -> None:
        self._settings, self._server, self._host = settings, settings.pages, _host_in(settings.pages)

    def get(self, path: str, **query: object) -> Any:
        """The JSON answer to a question."""
        return self._ask("GET", path + _query(query), None)

    def listed(self, name: str, **query: object) -> Iterator[Any]:
        """The entries of a list of the API, such as `bots`, whatever the number of its parts."""
        path = f"/{name}{_query(query)}"
        while path:
            part = self.get(path)
            yield from part[name]
            path = (part.get("next") or "").removeprefix(API)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON answer to an order."""
        return self._ask("POST", path, json.dumps(body).encode())

    def post_once(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON answer to an order with a key, which is carried out once however often it is given.

        Given again while its answer is lost: a server that was killed in between is soon back.
        """
        until = None
        while True:
            try:
                return self.post(path, body)
            except NoAnswer as error:
                now = time.monotonic()
                # once the order may have arrived, also retry while nothing answers: the server may be restarting
                until = until or (now + RETRY_S if error.was_asked else now)
                if now >= until:
                    raise
            time.sleep(PAUSE_S)

    def text(self, path: str) -> str:
        """An answer that is no JSON."""
        lines = self._read("GET", path, None).decode("utf-8", "replace").splitlines()
        return "\n".join(map(printable, lines))

    def stream(self, path: str, **query: object) -> Iterator[bytes]:
        """An answer of any length, piece by piece, as the server sends it."""
        with self._answer("GET", path + _query(query), None) as answer:
            while piece := answer.read1(PIECE_BYTES):
                yield piece

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        try:
            answer = json.loads(self._read(method, path, body))
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise UserError(f"the program at {self._server} is not a Tabiya server")
        return _printable_values(answer, self._server)

    def _read(self, method: str, path: str, body: bytes | None) -> bytes:
        from http.client import IncompleteRead

        with self._answer(method, path, body) as answer:
            read: bytes = answer.read(MOST_BYTES)
            if answer.length and len(read) < MOST_BYTES:  # http.client notices that only in a read without a bound
                raise IncompleteRead(read, answer.length)
            return read

    @contextmanager
    def _answer(self, method: str, path: str, body: bytes | None) -> Iterator[Any]:
        """The response, to be read. Whatever goes wrong, now or while it is read, is raised as a UserError."""
        from http.client import HTTPException, IncompleteRead, RemoteDisconnected
        from urllib.error import HTTPError
        from urllib.request import Request

        server = self._server
        request = Request(server + API + path, body, method=method)
        request.add_header("Content-Type", "application/json")
        # not to where another server may redirect us
        if self._settings.operator_token:
            request.add_unredirected_header("Authorization", f"Bearer {self._settings.operator_token}")
        try:
            with _opener(self._host).open(request, timeout=TIMEOUT_S) as answer:
                yield answer
        except HTTPError as error:
            sentence, field = _refusal(error, server)
            raise Refused(sentence, error.code, field) from None
        except IncompleteRead:
            raise NoAnswer(f"the connection to {server} broke in the middle of its answer", was_asked=True) from None
        except RemoteDisconnected:
            raise NoAnswer(f"{server} closed the connection without an answer", was_asked=True) from None
        except HTTPException:
            raise UserError(f"the program at {server} is not a Tabiya server (it does not speak HTTP)") from None
        except (OSError, ValueError) as error:
            # urllib wraps what fails before the request is sent in URLError; these two come bare only after it
            was_asked = isinstance(error, ConnectionResetError | TimeoutError)
            raise NoAnswer(f"no server answers at {server} ({_cause(error)})", was_asked=was_asked) from None


def with_token(settings: ClientSettings, token: str) -> Api:
    """The API as the holder of a token, a bot's or an operator's: the server takes either in the same header."""
    return Api(replace(settings, operator_token=token))


def as_owner(settings: ClientSettings, bot: str, operator_token: str | None) -> Api:
    """The API with a right over a bot: as an operator if one was named, else as its owner, if its token is known."""
    own = "" if operator_token else settings.token or known_token(settings.pages, bot)
    return with_token(settings, own or settings.operator_token)


def _query(given: dict[str, object]) -> str:
    """The query string, without fields that are None."""
    from urllib.parse import urlencode

    query = {key: str(value) for key, value in given.items() if value is not None}
    return f"?{urlencode(query)}" if query else ""


def _host_in(server: str) -> str:
    """The host of a server's address. Raises UserError."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(server)
        host = parts.hostname if parts.scheme in ("http", "https") and parts.port != 0 else None
    except ValueError:
        host = None
    if not host or any(c.isspace() for c in server):
        raise UserError(
            f"{server!r} is not the address of a server's pages, such as http://127.0.0.1:8080 "
            "(`tabiya serve` prints it)"
        )
    return host


def _opener(host: str) -> OpenerDirector:
    """Straight to this machine, elsewhere through the proxy of the environment, if it names one."""
    from urllib.request import ProxyHandler, build_opener

    # a proxy would look for 127.0.0.1 on its own machine
    here = host in ("localhost", "::1") or host.startswith("127.")
    return build_opener(*([ProxyHandler({})] if here else []))


def _refusal(error: HTTPError, server: str) -> tuple[str, str]:
    """The sentence a Tabiya server gave, or what else it was that answered; and the wrong field, if it named one."""
    from http.client import HTTPException

    with error:
        try:
            answer = json.loads(error.read(MOST_BYTES))
            text, field = answer.get("error"), answer.get("field")
        except (ValueError, AttributeError, OSError, HTTPException, RecursionError):  # no JSON object, or half of one
            text = field = None
    return str(text or f"the program at {server} is not a Tabiya server (HTTP {error.code})"), str(field or "")


def _cause(error: OSError | ValueError) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    return str(getattr(reason, "strerror", None) or reason)


class _JsonObject(dict[str, Any]):
    """A JSON object of a server; one that lacks what every Tabiya server says is of another version, or none."""

    def __init__(self, server: str) -> None:
        super().__init__()
        self._server = server

    def __missing__(self, key: str) -> Any:
        raise UserError(
            f"the program at {self._server} is not a Tabiya server of this version (its answer has no {key!r})"
        )


def _printable_values(value: Any, server: str) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable_values(one, server) for one in value]
    if isinstance(value, dict):
        answer = _JsonObject(server)
        answer.update({printable(key): _printable_values(one, server) for key, one in value.items()})
        return answer
    return value
