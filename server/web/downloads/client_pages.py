"""The page that says how to install the client from this server, and its wheel."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from tabiya.server.web.downloads.client_wheel import ClientWheel, NoWheelError, client_wheel
from tabiya.server.web.http.auth import host_of
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, HttpError, not_found
from tabiya.server.web.http.own_address import reachable_address
from tabiya.server.web.http.server_view import ServerView

Page = Callable[[ApiCall], Awaitable[tuple[str, dict[str, Any]]]]


class ClientPages:
    """`/client/` and the file on it."""

    def __init__(self, facade: ServerView) -> None:
        self._facade = facade

    def set_up(self, app: web.Application, shown: Callable[[Page], Handler]) -> None:
        """Add the routes. shown: makes a handler of a page."""
        app.router.add_get("/client/", shown(self.page))
        app.router.add_get("/client", self._to_the_page)
        app.router.add_get("/client/{file}", self._file)

    async def page(self, call: ApiCall) -> tuple[str, dict[str, Any]]:
        """How to install the client from here."""
        wheel = await _wheel()
        address = reachable_address(call.request, self._facade)
        return "client.html", {
            "info": self._facade.info(host_of(call.request)),
            "wheel": wheel,
            "address": address,
            "url": f"{address}/client/{wheel.name}",
        }

    async def _to_the_page(self, request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "/client/", **NO_CACHE})

    async def _file(self, request: web.Request) -> web.Response:
        """The wheel; only under its own name, because installers read version and machine from it."""
        wheel = await _wheel()
        asked = request.match_info["file"]
        if asked != wheel.name:
            not_found("file", asked)
        response = web.Response(body=wheel.data, content_type="application/octet-stream", headers=NO_CACHE)
        response.etag = wheel.sha256
        return response


async def _wheel() -> ClientWheel:
    try:
        return await asyncio.to_thread(client_wheel)
    except NoWheelError as error:
        raise HttpError(404, str(error)) from None
