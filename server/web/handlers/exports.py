"""Stored games as a streamed download (`server/archive/exports.py`); memory stays bounded."""

from __future__ import annotations

from aiohttp import web

from tabiya.games.registry import names
from tabiya.server.archive.exports import (
    CONTENT_TYPES,
    ExportFilter,
    ExportFormat,
    exported_games,
    has_sgf,
    without_sgf,
)
from tabiya.server.web.http.delivery import accepts_gzip
from tabiya.server.web.http.json_responses import NO_CACHE, HttpError, not_found
from tabiya.server.web.schemas.requests import ExportQuery
from tabiya.storage.records import TournamentId
from tabiya.storage.store import Store

MAX_CONCURRENT_EXPORTS = 2  # replaying games for transcripts takes processor time from running matches


class ExportHandlers:
    """The export handler, which counts the exports in progress."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._running = 0

    async def export(self, request: web.Request, query: ExportQuery) -> web.StreamResponse:
        """The games that are asked for. Raises HttpError."""
        await self._check(query)
        # asked last, with nothing awaited before the export is counted: many at one moment must not all pass
        if self._running >= MAX_CONCURRENT_EXPORTS:
            raise HttpError(503, f"{self._running} exports are already running; try again later", Retry_After="30")
        self._running += 1
        try:
            return await self._stream(request, query)
        finally:
            self._running -= 1

    async def _stream(self, request: web.Request, query: ExportQuery) -> web.StreamResponse:
        form, of = ExportFormat(query.format), query.tournament
        name = "games" if of is None else f"tournament-{of}"
        named = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
        response = web.StreamResponse(headers=NO_CACHE | named)
        response.content_type, response.charset = CONTENT_TYPES[form], "utf-8"
        response.headers["Vary"] = "Accept-Encoding"
        if accepts_gzip(request):
            response.enable_compression(web.ContentCoding.gzip)
        await response.prepare(request)
        wanted = ExportFilter(query.game, query.bot, query.tournament, query.since)
        async for game in exported_games(self._store, wanted, form):
            await response.write(game.text)
        await response.write_eof()
        return response

    async def _check(self, query: ExportQuery) -> None:
        if query.game is not None and query.game not in names():
            not_found("game", query.game)
        if query.game is not None and query.format == "sgf" and not has_sgf(query.game):
            raise HttpError(400, without_sgf(query.game), "format")
        if query.bot is not None and await self._store.bot_by_name(query.bot) is None:
            not_found("bot", query.bot)
        if query.tournament is not None and await self._store.tournament(TournamentId(query.tournament)) is None:
            not_found("tournament", query.tournament)
