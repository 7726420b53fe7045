"""An operator's orders about tournaments and matches; the guard has let them pass."""

from __future__ import annotations

from tabiya.server.web.handlers.queries import Reading
from tabiya.server.web.handlers.tournaments import TournamentOrders
from tabiya.server.web.json_responses import unknown
from tabiya.server.web.routes import Call
from tabiya.server.web.schemas.requests import AbortOrder, AdjudicateOrder, ReplayOrder
from tabiya.server.web.schemas.responses import MatchLine, Replayed
from tabiya.server.web.server_facade import Backend
from tabiya.server.web.views.matches import match_line
from tabiya.storage.records import MatchRecord


class Orders(TournamentOrders):
    """The handlers of everything that is posted."""

    def __init__(self, backend: Backend, reading: Reading) -> None:
        self._backend, self._reading = backend, reading

    async def abort_match(self, call: Call) -> MatchLine:
        """End a match without a result; a tournament plays the game again."""
        order: AbortOrder = call.body
        record = await self._reading.match_record(call)
        await self._backend.abort(record, order.reason)
        return await self._present(record)

    async def adjudicate_match(self, call: Call) -> MatchLine:
        """Decide a running or frozen match."""
        order: AdjudicateOrder = call.body
        record = await self._reading.match_record(call)
        await self._backend.adjudicate(record, order.winner, order.reason)
        return await self._present(record)

    async def replay_match(self, call: Call) -> Replayed:
        """Play a match again from its opening."""
        order: ReplayOrder = call.body
        return await self._backend.replay(await self._reading.match_record(call), order.reason)

    async def _present(self, record: MatchRecord) -> MatchLine:
        present = await self._backend.store.match(record.id)
        return match_line(present) if present else unknown("match", record.id)
