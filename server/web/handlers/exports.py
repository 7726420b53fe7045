"""All stored games as a download: `server/archive/exports.py` by HTTP, streamed, so that memory stays bounded."""

from __future__ import annotations

from aiohttp import web

from tabiya.games.registry import names
from tabiya.server.archive.exports import CONTENT_TYPES, Form, Wanted, exported
from tabiya.server.web.json_responses import NOT_KEPT, Refusal, unknown
from tabiya.server.web.schemas.requests import ExportQuery
from tabiya.storage.records import TournamentId
from tabiya.storage.store import Store

MOST_AT_ONCE = 2  # replaying games for transcripts takes time that running matches need


class Exports:
    """All exports under way."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._running = 0

    async def export(self, request: web.Request, query: ExportQuery) -> web.StreamResponse:
        """The games that are asked for. Raises Refusal."""
        await self._check(query)
        self._running += 1
        try:
            return await self._stream(request, query)
        finally:
            self._running -= 1

    async def _stream(self, request: web.Request, query: ExportQuery) -> web.StreamResponse:
        form = Form(query.format)
        named = {"Content-Disposition": f'attachment; filename="games.{form}"'}
        response = web.StreamResponse(headers=NOT_KEPT | named)
        response.content_type, response.charset = CONTENT_TYPES[form], "utf-8"
        await response.prepare(request)
        wanted = Wanted(query.game, query.bot, query.tournament, query.since)
        async for game in exported(self._store, wanted, form):
            await response.write(game)
        await response.write_eof()
        return response

    async def _check(self, query: ExportQuery) -> None:
        if self._running >= MOST_AT_ONCE:
            raise Refusal(503, f"{self._running} exports are under way already; try again later", Retry_After="30")
        if query.game is not None and query.game not in names():
            unknown("game", query.game)
        if query.bot is not None and await self._store.bot_by_name(query.bot) is None:
            unknown("bot", query.bot)
        if query.tournament is not None and await self._store.tournament(TournamentId(query.tournament)) is None:
            unknown("tournament", query.tournament)
