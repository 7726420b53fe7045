"""Routes of the API, with the addresses of the current and earlier versions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, NamedTuple

from aiohttp import web
from msgspec import Struct

from tabiya.server.web.http.json_responses import MAX_BODY_BYTES, ApiCall

API = "/api/v1"
OLD_API = "/api"  # without a version, as before there was one: for one release
OLD_SINCE = 1_795_564_800  # 25 November 2026, in seconds since 1970

Handler = Callable[[ApiCall], Awaitable[Struct | web.StreamResponse]]
Access = Literal["anybody", "sender", "owner", "operator", "worker"]


class Other(NamedTuple):
    """An answer that is no struct.  about: what it is.  types: the media types that it can have."""

    about: str
    types: tuple[str, ...]
    is_stream: bool = False


class Route(NamedTuple):
    """One route. answer: the struct that is sent as JSON, or what else is sent.

    access: "operator" needs the operator's role; "sender" is open, but not for pages of other sites; "owner" needs the
    token of the bot concerned or an operator's, which the handler checks, because it knows the bot; "worker" needs the
    token of workers.
    stored: whether it needs the database: 503 is answered where that is away, 409 where its rows are damaged.
    crowded: whether too many may ask it at once: 503, too.  also: what else is sent, where the query asks for it.
    most_bytes: of a body.
    server_only: whether only the server's own process can answer a GET for everybody, because it is about who plays.
    """

    method: str
    path: str
    handler: Handler
    answer: type[Struct] | Other
    query: type[Struct] | None = None
    body: type[Struct] | None = None
    access: Access = "anybody"
    status: int = 200
    stored: bool = True
    crowded: bool = False
    also: Other | None = None
    most_bytes: int = MAX_BODY_BYTES
    server_only: bool = False

    @property
    def needs_server(self) -> bool:
        """Whether a process that only shows pages cannot answer it."""
        return self.server_only or self.method != "GET" or self.access != "anybody"

    @property
    def old_path(self) -> str | None:
        """The address without a version; None for a route that never had another."""
        return OLD_API + self.path.removeprefix(API) if is_versioned(self.path) else None

    @property
    def has_etag(self) -> bool:
        """Whether its answers have an ETag."""
        return self.method == "GET" and not (isinstance(self.answer, Other) and self.answer.is_stream)

    @property
    def is_public(self) -> bool:
        """Whether pages of other sites may read it: access is open and the request changes nothing."""
        return self.method == "GET" and self.access == "anybody" and is_versioned(self.path)


def is_versioned(path: str) -> bool:
    """Whether a path is one of this version of the API."""
    return path.startswith(f"{API}/")


def successor(path: str) -> str | None:
    """The address with the version for an old address without one; None for other addresses."""
    is_old = path.startswith(f"{OLD_API}/") and not is_versioned(path)
    return API + path.removeprefix(OLD_API) if is_old else None
