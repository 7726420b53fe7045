"""Reading requests, JSON responses, and the status and message for each kind of error."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple, NoReturn, TypeVar

import msgspec
from aiohttp import web
from msgspec import UNSET, Struct

from tabiya.games.errors import GameError, shown
from tabiya.protocol.time_control import TimeControlError
from tabiya.server.accounts.accounts import NotAdmitted
from tabiya.server.tournaments.settings import TournamentError
from tabiya.server.web.http.field_errors import field_error
from tabiya.server.web.schemas.requests import LARGEST_ID
from tabiya.server.web.schemas.responses import Problem
from tabiya.storage.errors import DamagedRows, StoreError

log = logging.getLogger("tabiya.web")

MAX_BODY_BYTES = 65_536
NO_CACHE = {"Cache-Control": "no-cache"}
PROBLEM_TYPE = "application/problem+json"
R = TypeVar("R", bound=Struct)


class ApiCall(NamedTuple):
    """One request with its query and body as the structs that its route declares (None where it declares none)."""

    request: web.Request
    query: Any
    body: Any

    @property
    def given(self) -> dict[str, str]:
        """The query's fields as text, without empty ones: forms send those too."""
        return {name: value for name, value in self.request.query.items() if value}


class HttpError(Exception):
    """An error response; `sentence` is its message."""

    def __init__(self, status: int, sentence: str, field: str | None = None, **headers: str) -> None:
        """field: of the query or body, if one is wrong.  headers: of the response, with underscores for hyphens."""
        super().__init__(sentence)
        self.status, self.sentence, self.field = status, sentence, field
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def json_response(value: object, status: int = 200) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json", headers=NO_CACHE
    )


def problem(status: int, sentence: str, field: str | None = None) -> bytes:
    """An error as problem details (RFC 9457). field: of the query or body, if one is wrong."""
    title = HTTPStatus(status).phrase
    return msgspec.json.encode(
        Problem(type="about:blank", title=title, status=status, detail=sentence, error=sentence, field=field or UNSET)
    )


def problem_response(status: int, sentence: str, field: str | None = None) -> web.Response:
    """The response that tells an error."""
    body = problem(status, sentence, field)
    return web.Response(body=body, status=status, content_type=PROBLEM_TYPE, headers=NO_CACHE)


def number_in_path(request: web.Request, name: str, what: str) -> int:
    """A number from the path. Raises HttpError (404) if it is none."""
    text = request.match_info[name]
    # isdigit() alone lets superscripts pass, which int() does not take
    if not (text.isascii() and text.isdigit() and len(text) <= 16 and 1 <= int(text) <= LARGEST_ID):
        not_found(what, text)
    return int(text)


def not_found(what: str, text: object) -> NoReturn:
    """Raise HttpError (404)."""
    raise HttpError(404, f"there is no {what} {shown(text)}" if isinstance(text, str) else f"there is no {what} {text}")


def read_query(query: Mapping[str, str], kind: type[R]) -> R:
    """The query string as a struct; of a repeated name one value is used. Raises HttpError (400)."""
    try:
        found = msgspec.convert(dict(query), kind, strict=False)
        for name in query:
            if getattr(found, name) is None:  # `limit=null` is taken for null, which a query cannot mean
                raise msgspec.ValidationError(f"Expected a value - at `$.{name}`")
    except msgspec.ValidationError as error:
        field, sentence = field_error(query, kind, str(error), in_query=True)
        raise HttpError(400, f"a value in the address is not allowed: {sentence}", field) from None
    return found


async def read_body(request: web.Request, kind: type[R], timeout_s: float, most_bytes: int = MAX_BODY_BYTES) -> R:
    """The JSON body as a struct. timeout_s: for the whole body. Raises HttpError (400, 408, 413, 415)."""
    if request.content_type != "application/json":
        raise HttpError(
            415,
            f"the request's body must be JSON: send Content-Type application/json, not {request.content_type[:80]!a}",
        )
    try:
        async with asyncio.timeout(timeout_s):
            data = await request.clone(client_max_size=most_bytes).read()
    except web.HTTPRequestEntityTooLarge:
        raise HttpError(413, f"the request's body may have at most {most_bytes:,} bytes") from None
    except TimeoutError:
        # closed: the rest of the body is not read
        raise HttpError(
            408, f"the request's body did not arrive completely within {timeout_s:g} s", Connection="close"
        ) from None
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        field, sentence = field_error(_plain(data), kind, str(error), in_query=False)
        raise HttpError(400, f"the request's body is wrong: {sentence}", field or None) from None
    except (ValueError, RecursionError):
        raise HttpError(400, "the request's body is not JSON") from None


def _plain(data: bytes) -> Any:
    """The values in a body that is no such order, for its error message."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(data)  # msgspec refuses 1e400 without naming the field


def status_and_message(error: Exception, request: web.Request) -> tuple[int, str, dict[str, str]]:
    """Status, message and headers for an error; errors of the server are logged."""
    match error:
        case HttpError():
            return error.status, error.sentence, error.headers
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(error.allowed_methods))
            return 405, f"{request.method} cannot be done here (allowed: {allowed})", {"Allow": allowed}
        case web.HTTPNotFound():
            return 404, f"there is nothing at {request.path[:200]}", {}
        case web.HTTPRequestEntityTooLarge():
            return 413, f"an order has at most {MAX_BODY_BYTES:,} bytes", {}
        case web.HTTPException():
            return error.status, error.reason.lower(), {}
        case GameError() | TournamentError() | TimeControlError():
            return 400, str(error), {}
        case NotAdmitted():
            return 403, str(error), {}
        case DamagedRows():
            return 409, str(error), {}
        case StoreError():
            log.error("%s %s: %s", request.method, request.path, error)
            return 503, "the server cannot reach its database; try again later", {"Retry-After": "5"}
    log.error("%s %s: an internal error", request.method, request.path, exc_info=error)
    return 500, "an error of the server; it is in its log", {}
