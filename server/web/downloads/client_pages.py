"""The client, offered by the server itself: a page with the words to type, the wheel they name, and the documents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from tabiya.server.web.auth import host_of
from tabiya.server.web.downloads.client_wheel import ClientWheel, NoClient, client_wheel
from tabiya.server.web.downloads.documents import path_of
from tabiya.server.web.json_responses import NOT_KEPT, Refusal, unknown
from tabiya.server.web.routes import Call
from tabiya.server.web.server_facade import Backend

PLACEHOLDER = "http://ADDRESS:8080"  # in the documents
Page = Callable[[Call], Awaitable[tuple[str, dict[str, Any]]]]


class ClientPages:
    """`/client/` and the file on it, and `/docs/`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def set_up(self, app: web.Application, shown: Callable[[Page], Handler]) -> None:
        """Add the addresses. shown: makes a handler of a page."""
        app.router.add_get("/client/", shown(self.page))
        app.router.add_get("/client", self._to_the_page)
        app.router.add_get("/client/{file}", self._file)
        app.router.add_get("/docs/{file}", self._document)

    async def page(self, call: Call) -> tuple[str, dict[str, Any]]:
        """How to install the client from here."""
        wheel = await _wheel()
        address = address_for_others(call.request, self._backend)
        return "client.html", {
            "info": self._backend.info(host_of(call.request)),
            "wheel": wheel,
            "address": address,
            "url": f"{address}/client/{wheel.name}",
        }

    async def _to_the_page(self, request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "/client/", **NOT_KEPT})

    async def _file(self, request: web.Request) -> web.Response:
        """The wheel; only under its own name, because installers read version and machine from it."""
        wheel = await _wheel()
        asked = request.match_info["file"]
        if asked != wheel.name:
            unknown("file", asked)
        response = web.Response(body=wheel.data, content_type="application/octet-stream", headers=NOT_KEPT)
        response.etag = wheel.sha256
        return response

    async def _document(self, request: web.Request) -> web.Response:
        """A document as it is written, with the address of this server in it."""
        name = request.match_info["file"]
        path = path_of(name)
        if path is None:
            unknown("document", name)
        text = await asyncio.to_thread(path.read_text, "utf-8")
        text = text.replace(PLACEHOLDER, address_for_others(request, self._backend))
        kind = "application/json" if name.endswith(".json") else "text/plain"
        return web.Response(text=text, content_type=kind, headers=NOT_KEPT)


async def _wheel() -> ClientWheel:
    try:
        return await asyncio.to_thread(client_wheel)
    except NoClient as error:
        raise Refusal(404, str(error)) from None


def address_for_others(request: web.Request, backend: Backend) -> str:
    """The address of these pages as who asks has typed it, unless that is one that only this machine can use."""
    host = backend.host_for_others(host_of(request))
    try:
        port = urlsplit(f"//{request.headers.get('Host', '')}").port
    except ValueError:
        port = None
    name = f"[{host}]" if ":" in host else host
    return f"{request.scheme}://{name}" + (f":{port}" if port else "")
