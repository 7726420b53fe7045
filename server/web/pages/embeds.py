"""Small pages that other sites show in a frame: a match, standings, a tournament, a search; nothing acts there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, NamedTuple

from aiohttp import web
from msgspec import Meta

from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.content_policy import content_security_policy
from tabiya.server.web.http.json_responses import ApiCall, read_query
from tabiya.server.web.schemas.requests import RequestModel, StandingsQuery
from tabiya.server.web.views.matches import match_line
from tabiya.server.web.views.presentation import format_points

Context = dict[str, Any]
Page = Callable[[ApiCall], Awaitable[tuple[str, Context]]]
FRAMED = {  # the last two are for sites that ask as much of everything they show
    "Content-Security-Policy": content_security_policy(frames="*", forms="'none'"),
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
DARK = re.compile(r"@media [^{]*\(prefers-color-scheme: dark\) \{\s*(:root \{[^}]*\})\s*\}")
LIGHT = re.compile(r":root \{[^}]*\}")


class EmbedQuery(RequestModel, frozen=True, kw_only=True):
    """How an embedded page looks."""

    theme: Literal["dark", "light"] | None = None


class EmbeddedMatchQuery(EmbedQuery, frozen=True, kw_only=True):
    """How a match is shown."""

    ply: Annotated[int, Meta(ge=0, le=999_999)] | None = None


class EmbeddedTableQuery(EmbedQuery, frozen=True, kw_only=True):
    """How a table is shown."""

    rows: Annotated[int, Meta(ge=1, le=100)] = 10


class EmbeddedStandingsQuery(EmbeddedTableQuery, frozen=True, kw_only=True):
    """How the standings are shown."""

    pooled: bool = False


class Row(NamedTuple):
    """One row of a table. beside: what is said beside the value, more faintly."""

    rank: int
    bot: str
    version: str
    value: str
    beside: str


class Embeds:
    """The pages. All methods raise HttpError and StoreError."""

    def __init__(self, queries: QueryHandlers) -> None:
        self._queries = queries

    def pages(self) -> dict[str, Page]:
        """Each by its address."""
        return {
            "/embed/matches/{match}": self.match,
            "/embed/standings/{game}": self.standings,
            "/embed/tournaments/{tournament}": self.tournament,
            "/embed/explore": self.explore,
        }

    async def explore(self, call: ApiCall) -> tuple[str, Context]:
        """A search, stepped through; the other fields of the query are for its scripts."""
        theme = {name: value for name, value in call.request.query.items() if name == "theme"}
        return "embed_explore.html", {"query": read_query(theme, EmbedQuery)}

    async def match(self, call: ApiCall) -> tuple[str, Context]:
        """Board, names, clocks and result of a match."""
        query = read_query(call.request.query, EmbeddedMatchQuery)
        record = await self._queries.match_record(call)
        state = await self._queries.live_state(record)
        ply = state.ply if query.ply is None else min(query.ply, state.ply)
        board, _ = await self._queries.match_views.board_at(record, state.moves, ply)
        return "embed_match.html", {
            "query": query,
            "match": match_line(record),
            "state": state,
            "ply": ply,
            "board": board,
            "watched_live": state.status == "running",
        }

    async def standings(self, call: ApiCall) -> tuple[str, Context]:
        """The first of the ratings of a game."""
        query = read_query(call.request.query, EmbeddedStandingsQuery)
        table = await self._queries.standings(call._replace(query=StandingsQuery(pooled=query.pooled)))
        rows = [
            Row(row.rank, row.bot, row.version, f"{row.rating:.0f}", "" if row.anchor else f"± {row.plus_minus:.0f}")
            for row in table.rows[: query.rows]
        ]
        return "embed_table.html", {
            "query": query,
            "heading": None,
            "value": "Rating",
            "rows": rows,
            "hidden": len(table.rows) - len(rows),
            "page": f"/standings/{table.game}",
            "game": table.game,
        }

    async def tournament(self, call: ApiCall) -> tuple[str, Context]:
        """The first of the table of a tournament."""
        query = read_query(call.request.query, EmbeddedTableQuery)
        outline = await self._queries.tournament_views.outline(await self._queries.tournament_record(call))
        rows = [
            Row(row.rank, row.bot, row.version, format_points(row.points), f"of {row.played}")
            for row in outline.table[: query.rows]
        ]
        return "embed_table.html", {
            "query": query,
            "heading": outline.line,
            "value": "Points",
            "rows": rows,
            "hidden": len(outline.table) - len(rows),
            "page": f"/tournaments/{outline.line.id}",
            "game": outline.line.game,
        }


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def framed(handler: Handler) -> Handler:
    """The handler of a page that every site may show in a frame."""

    async def handle(request: web.Request) -> web.StreamResponse:
        response = await handler(request)
        response.headers.update(FRAMED)
        return response

    return handle


def theme_sheets(sheet: str) -> dict[str, bytes]:
    """A sheet for each theme that sets the colours of tabiya.css whatever the system of the reader prefers."""
    light, dark = LIGHT.search(sheet), DARK.search(sheet)
    assert light, "tabiya.css begins with its colours"
    assert dark, "tabiya.css has dark colours too"
    found = {"light": light[0], "dark": dark[1]}
    return {f"{name}.css": f"{rule}\n:root {{ color-scheme: {name}; }}\n".encode() for name, rule in found.items()}
