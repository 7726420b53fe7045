"""In a page process: answers requests that need the server itself with its address (421).

A proxy before both can take the status as the sign to ask the server (docs/how-to/pages-apart.md).
"""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler

from tabiya.server.web.http.auth import host_of
from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.http.server_view import ServerView

MISDIRECTED = 421


def misdirected(view: ServerView) -> Handler:
    """The handler of what needs the server's own process."""

    async def handle(request: web.Request) -> web.StreamResponse:
        address = view.orders_at(host_of(request))
        raise HttpError(MISDIRECTED, f"this process only shows pages; for {request.path} use {address}")

    return handle
