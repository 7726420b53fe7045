"""The feed of tournaments that have ended (Atom, RFC 4287), for feed readers and other sites."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.json_responses import ApiCall
from tabiya.server.web.views.tournaments import TournamentOutline
from tabiya.storage.errors import DamagedRows
from tabiya.storage.records import TournamentRecord
from tabiya.storage.store import Store

ATOM = "application/atom+xml"
ENTRIES, ROWS = 20, 50  # tournaments in the feed, rows of each table


class Entry(NamedTuple):
    """One tournament. id: never changes, even if the server's name does."""

    id: str
    ended_at: float
    outline: TournamentOutline


class TournamentFeed:
    """The feed's template and its values."""

    def __init__(self, store: Store, queries: QueryHandlers) -> None:
        self._store, self._views = store, queries.tournament_views

    async def page(self, call: ApiCall) -> tuple[str, dict[str, Any]]:
        """The tournaments that ended last; one that is damaged is left out."""
        entries = []
        for record in await self._store.ended_tournaments(ENTRIES):
            try:
                outline = await self._views.outline(record)
            except DamagedRows:
                continue
            entries.append(Entry(_urn(record), record.ended_at or record.created_at, outline))
        return "feed.atom", {"entries": entries, "rows": ROWS}


def _urn(record: TournamentRecord) -> str:
    """A name for this tournament that none of another server has."""
    return uuid5(NAMESPACE_URL, f"tabiya tournament {record.id} {record.created_at!r} {record.seed}").urn
