"""An operator's orders about tournaments and matches; the guard has let them pass."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import structs

from server.tournaments import TournamentError, TournamentOrder
from server.web.answers import Refusal, unknown
from server.web.backend import Backend
from server.web.questions import AbortOrder, AdjudicateOrder, ReplayOrder, TournamentPlan
from server.web.reading import Reading
from server.web.routes import Call
from server.web.shapes import MatchLine, Replayed, TournamentDetail
from server.web.views.matches import match_line
from storage.records import MatchRecord, TournamentRecord


class Orders:
    """The handlers of everything that is posted."""

    def __init__(self, backend: Backend, reading: Reading) -> None:
        self._backend, self._reading = backend, reading

    async def create_tournament(self, call: Call) -> TournamentDetail:
        """Create a tournament, and start it unless told otherwise."""
        plan: TournamentPlan = call.body
        record = await self._backend.tournaments.create(TournamentOrder(**structs.asdict(plan)))
        return await self._reading.tournament_shape(record)

    async def start_tournament(self, call: Call) -> TournamentDetail:
        """Start a created tournament, or go on with a paused one."""
        return await self._command(call, self._backend.tournaments.start)

    async def pause_tournament(self, call: Call) -> TournamentDetail:
        """Start no further games; those under way go on."""
        return await self._command(call, self._backend.tournaments.pause)

    async def cancel_tournament(self, call: Call) -> TournamentDetail:
        """End a tournament as it stands."""
        return await self._command(call, self._backend.tournaments.cancel)

    async def _command(self, call: Call, command: Callable[[int], Awaitable[TournamentRecord]]) -> TournamentDetail:
        record = await self._reading.tournament_record(call)
        try:
            return await self._reading.tournament_shape(await command(record.id))
        except TournamentError as error:
            raise Refusal(409, str(error)) from None

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
