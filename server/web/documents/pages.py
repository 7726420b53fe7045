"""The pages under /docs: every document for readers, a search, and with `.md` behind an address its own text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from html import escape
from pathlib import PurePosixPath
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from tabiya.server.version import version
from tabiya.server.web.documents.contents import contents, neighbours, rendered
from tabiya.server.web.documents.files import CONTENTS, paths_by_name, served_files, text_of
from tabiya.server.web.documents.markdown import Rendered
from tabiya.server.web.documents.search import search
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, not_found
from tabiya.server.web.http.own_address import reachable_address
from tabiya.server.web.http.server_view import ServerView

PLACEHOLDER = "http://ADDRESS:8080"  # in the documents
LISTED = (2, 3)  # levels of the headings in a page's own table of contents
TEXTS = {".md": "text/plain", ".json": "application/json"}
PICTURES = {".png": "image/png", ".webp": "image/webp", ".svg": "image/svg+xml"}

Page = Callable[[ApiCall], Awaitable[tuple[str, dict[str, Any]]]]


class DocumentPages:
    """`/docs/` and all below it."""

    def __init__(self, facade: ServerView) -> None:
        self._facade = facade

    def set_up(self, app: web.Application, shown: Callable[[Page], Handler]) -> None:
        """Add the routes. shown: makes a handler of a page."""
        show_document = shown(self.document)

        async def answer(request: web.Request) -> web.StreamResponse:
            path = request.match_info["path"]
            files = await asyncio.to_thread(served_files)
            if f"{path}.md" in files and f"{path}.md" != CONTENTS:
                return await show_document(request)
            return await self._file(request, path) if path in files else _redirect_to_page(path)

        app.router.add_get("/docs", _to_the_contents)
        app.router.add_get("/docs/", shown(self.contents))
        app.router.add_get("/docs/{path:.+}", answer)

    async def contents(self, call: ApiCall) -> tuple[str, dict[str, Any]]:
        """All documents, or the sections in which something was searched."""
        asked = call.request.query.get("search", "").strip()
        if asked:
            hits = await asyncio.to_thread(search, asked)
            return "search.html", {"sections": contents(), "asked": asked, "hits": hits}
        return "document.html", await self._shown(call.request, CONTENTS)

    async def document(self, call: ApiCall) -> tuple[str, dict[str, Any]]:
        return "document.html", await self._shown(call.request, f"{call.request.match_info['path']}.md")

    async def _shown(self, request: web.Request, path: str) -> dict[str, Any]:
        page = await asyncio.to_thread(_rendered, path)
        before, after = neighbours(path)
        address = escape(reachable_address(request, self._facade))
        return {
            "sections": contents(),
            "asked": "",
            "title": page.headings[0].text,
            "html": page.html.replace(PLACEHOLDER, address),
            "headings": [heading for heading in page.headings if heading.level in LISTED],
            "before": before,
            "after": after,
            "source": f"/docs/{path}",
            "version": version(),
        }

    async def _file(self, request: web.Request, path: str) -> web.Response:
        """The file itself; in texts, placeholders are replaced by this server's address."""
        kind = PurePosixPath(path).suffix
        if kind in PICTURES:
            data = await asyncio.to_thread(served_files()[path].read_bytes)
            return web.Response(body=data, content_type=PICTURES[kind], headers=NO_CACHE)
        text = (await asyncio.to_thread(text_of, path)).replace(PLACEHOLDER, reachable_address(request, self._facade))
        return web.Response(text=text, content_type=TEXTS[kind], headers=NO_CACHE)


def _rendered(path: str) -> Rendered:
    if path not in served_files():
        not_found("document", path)
    contents()  # here, because this runs in a thread
    return rendered(path)


async def _to_the_contents(request: web.Request) -> web.Response:
    return _redirect("/docs/")


def _redirect_to_page(path: str) -> web.Response:
    """From a name without its folder, with or without `.md`, to where it lies. Raises HttpError (404)."""
    found = paths_by_name().get(path)
    if found is None:
        not_found("document", path)
    is_page = found.endswith(".md") and not path.endswith(".md")
    return _redirect(f"/docs/{found.removesuffix('.md') if is_page else found}")


def _redirect(path: str) -> web.Response:
    return web.Response(status=302, headers={"Location": path, **NO_CACHE})
