"""The pictures for links, made in a thread: a few at a time, each once, the latest kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from aiohttp import web

from tabiya.games.errors import GameError
from tabiya.games.registry import title
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, HttpError
from tabiya.server.web.pages.cards import CardRow, match_card, png, table_card
from tabiya.server.web.schemas.requests import StandingsQuery
from tabiya.server.web.views.matches import match_line
from tabiya.server.web.views.presentation import count_noun, format_points

PICTURES_KEPT, WAITING, AT_ONCE = (
    64,
    8,
    1,
)  # pictures: in memory, asked for at one moment, in work; one takes 0.13 s of processor
SHOWN_ELSEWHERE = NO_CACHE | {"Cross-Origin-Resource-Policy": "cross-origin"}


class PngMaker:
    """Makes PNGs of SVG documents, and keeps the latest."""

    def __init__(self) -> None:
        self._made: OrderedDict[str, bytes] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[bytes]] = {}
        self._free = asyncio.Semaphore(AT_ONCE)

    async def png(self, svg: str) -> bytes:
        """The picture as a PNG. Raises HttpError (503) if too many are asked for at this moment."""
        if svg in self._made:
            self._made.move_to_end(svg)
            return self._made[svg]
        if svg not in self._under_way:
            if len(self._under_way) >= WAITING:
                raise HttpError(503, "too many pictures are requested now; try again in a moment", Retry_After="5")
            self._under_way[svg] = asyncio.ensure_future(self._make(svg))
        return await asyncio.shield(self._under_way[svg])  # one who leaves must not cancel it for the others

    async def _make(self, svg: str) -> bytes:
        try:
            async with self._free:
                picture = self._made[svg] = await asyncio.to_thread(png, svg)
        finally:
            del self._under_way[svg]
        if len(self._made) > PICTURES_KEPT:
            self._made.popitem(last=False)
        return picture


class CardPictures:
    """The handlers. All raise HttpError and StoreError."""

    def __init__(self, server_name: str, queries: QueryHandlers) -> None:
        self._server, self._queries, self._maker = server_name, queries, PngMaker()

    def set_up(self, app: web.Application) -> None:
        """Their addresses."""
        for path, card in (
            ("/matches/{match}", self.match),
            ("/standings/{game}", self.standings),
            ("/tournaments/{tournament}", self.tournament),
        ):
            app.router.add_get(f"{path}/picture.png", self._handler(card))

    async def match(self, call: ApiCall) -> str:
        """A match: board, names, result."""
        record = await self._queries.match_record(call)
        try:
            state = await self._queries.live_state(record)
            svg = await self._queries.match_views.picture(record, state.moves, state.ply)
        except GameError as error:
            raise HttpError(409, f"the moves of match {record.id} cannot be replayed by the rules: {error}") from None
        return match_card(match_line(record), state, svg, self._server)

    async def standings(self, call: ApiCall) -> str:
        """The first of the ratings of a game."""
        table = await self._queries.standings(call._replace(query=StandingsQuery(pooled=True)))
        rows = [CardRow(row.rank, row.bot, f"{row.rating:.0f}") for row in table.rows]
        return table_card(
            f"Standings of {title(table.game)}", count_noun(table.games, "rated game"), rows, self._server
        )

    async def tournament(self, call: ApiCall) -> str:
        """The first of the table of a tournament."""
        outline = await self._queries.tournament_views.outline(await self._queries.tournament_record(call))
        line = outline.line
        rows = [CardRow(row.rank, row.bot, format_points(row.points)) for row in outline.table]
        about = f"{line.title}, {line.format_title} of {count_noun(line.entrants, 'bot')}, {line.status}"
        return table_card(line.name, about, rows, self._server)

    def _handler(self, card: Callable[[ApiCall], Awaitable[str]]) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            picture = await self._maker.png(await card(ApiCall(request, None, None)))
            return web.Response(body=picture, content_type="image/png", headers=SHOWN_ELSEWHERE)

        return handle
