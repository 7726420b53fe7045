"""Handlers for searches, which the server's explorer answers."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Iterator
from typing import Any

from aiohttp import web
from msgspec import structs

from tabiya.server.explorer import Explorer, ExplorerBusy, NoAnswer
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, HttpError
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.schemas.explorer_requests import DifferenceRequest, ExercisesRequest, SearchRequest

OTHERS = [name.removeprefix("other_") for name in DifferenceRequest.__struct_fields__ if name.startswith("other_")]
SECONDS = "5"  # seconds until the client may ask again


class ExplorerHandlers:
    """The handlers."""

    def __init__(self, facade: ServerView) -> None:
        self._facade = facade

    @property
    def _explorer(self) -> Explorer:
        return explorer_of(self._facade)

    async def search(self, call: ApiCall) -> web.StreamResponse:
        """A search, visit by visit: JSON lines with the progress, then its description, then its columns.

        The columns are compressed (zlib) and stand one after the other, as that line says. Or a line has a `problem`.
        """
        question = _given(call.query)
        async with contextlib.aclosing(self._explorer.search(question)) as parts:
            with explorer_errors(400):
                first = await anext(parts)  # before the answer begins: a question that cannot be asked is refused
            response = web.StreamResponse(headers=NO_CACHE)
            response.content_type = "application/octet-stream"
            await response.prepare(call.request)
            try:
                await response.write(_line(first))
                async for part in parts:
                    await response.write(_line(part))
                await response.write_eof()
            except NoAnswer as error:
                await response.write(json.dumps({"problem": str(error)}).encode() + b"\n")
            except ConnectionResetError:  # the client is gone
                pass
        return response

    async def calls(self, call: ApiCall) -> web.Response:
        """The calls from the root to one visit, line by line with variables."""
        question = _given(call.query)
        visit = question.pop("visit", 0)
        return await _json(self._explorer.calls(question, visit))

    async def difference(self, call: ApiCall) -> web.Response:
        """Nodes that only one of two searches of the same tree visited, and why."""
        given = _given(call.query)
        others = {name: given.pop(f"other_{name}") for name in OTHERS if f"other_{name}" in given}
        return await _json(self._explorer.difference(given, given | others))

    async def listings(self, call: ApiCall) -> web.Response:
        """All listings of the textbooks, as in the book and as our code."""
        return web.Response(body=self._explorer.listings(), content_type="application/json", headers=NO_CACHE)

    async def examples(self, call: ApiCall) -> web.Response:
        """Searches that show the textbooks' examples and claims, by name."""
        return web.Response(body=self._explorer.examples(), content_type="application/json", headers=NO_CACHE)

    async def exercises(self, call: ApiCall) -> web.Response:
        """Exercises on small trees from a seed, with solutions."""
        return await _json(exercises_of(self._facade, call.query))


def explorer_of(facade: ServerView) -> Explorer:
    """The explorer that the server was given. Raises HttpError (503)."""
    if facade.explorer is None:
        raise HttpError(503, "this server was started without a search explorer")
    return facade.explorer


async def exercises_of(facade: ServerView, query: ExercisesRequest) -> bytes:
    """A sheet of exercises as JSON. Raises HttpError."""
    with explorer_errors(400):
        return await explorer_of(facade).exercises(_given(query))


def _given(query: SearchRequest | ExercisesRequest) -> dict[str, Any]:
    """The fields that differ from the defaults."""
    usual = type(query)()
    return {name: value for name, value in structs.asdict(query).items() if value != getattr(usual, name)}


def _line(part: int | bytes) -> bytes:
    return part if isinstance(part, bytes) else json.dumps({"nodes": part}).encode() + b"\n"


async def _json(answer: Awaitable[bytes]) -> web.Response:
    with explorer_errors(400):
        body = await answer
    return web.Response(body=body, content_type="application/json", headers=NO_CACHE)


@contextlib.contextmanager
def explorer_errors(status: int) -> Iterator[None]:
    """Errors of the explorer as those of the API. status: for what it does not answer."""
    try:
        yield
    except ExplorerBusy as error:
        raise HttpError(503, str(error), Retry_After=SECONDS) from None
    except (ValueError, NoAnswer) as error:
        raise HttpError(status, str(error)) from None
