"""POST handlers for operators: matches, and tournaments by inheritance. Access has been checked (routes.py)."""

from __future__ import annotations

from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.handlers.tournaments import TournamentHandlers
from tabiya.server.web.http.json_responses import ApiCall, not_found
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.requests import AbortOrder, AdjudicateOrder, ReplayOrder
from tabiya.server.web.schemas.responses import MatchLine, Replayed
from tabiya.server.web.views.matches import match_line
from tabiya.storage.records import MatchRecord


class AdminHandlers(TournamentHandlers):
    """The POST handlers for operators."""

    def __init__(self, facade: ServerFacade, queries: QueryHandlers) -> None:
        self._facade, self._queries = facade, queries

    async def abort_match(self, call: ApiCall) -> MatchLine:
        """End a match without a result; a tournament plays the game again."""
        order: AbortOrder = call.body
        record = await self._queries.match_record(call)
        await self._facade.abort(record, order.reason)
        return await self._present(record)

    async def adjudicate_match(self, call: ApiCall) -> MatchLine:
        """Set the result of a running or frozen match."""
        order: AdjudicateOrder = call.body
        record = await self._queries.match_record(call)
        await self._facade.adjudicate(record, order.winner, order.reason)
        return await self._present(record)

    async def replay_match(self, call: ApiCall) -> Replayed:
        """Replay a match from its opening."""
        order: ReplayOrder = call.body
        return await self._facade.replay(await self._queries.match_record(call), order.reason)

    async def _present(self, record: MatchRecord) -> MatchLine:
        present = await self._facade.store.match(record.id)
        return match_line(present) if present else not_found("match", record.id)
