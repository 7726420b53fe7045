"""Orders about tournaments; all of them pass the guard."""

from __future__ import annotations

from collections.abc import Awaitable

from msgspec import structs

from tabiya.server.tournaments.settings import TournamentError, TournamentOrder
from tabiya.server.web.handlers.queries import Reading
from tabiya.server.web.json_responses import Refusal
from tabiya.server.web.routes import Call
from tabiya.server.web.schemas.tournament_requests import (
    ByeOrder,
    EnterOrder,
    TournamentPlan,
    WithdrawOrder,
)
from tabiya.server.web.schemas.tournament_responses import TournamentDetail
from tabiya.server.web.server_facade import Backend
from tabiya.storage.records import TournamentRecord


class TournamentOrders:
    """The handlers of what is posted about tournaments."""

    _backend: Backend
    _reading: Reading

    async def create_tournament(self, call: Call) -> TournamentDetail:
        """Create a tournament, and start it unless told otherwise."""
        plan: TournamentPlan = call.body
        record = await self._backend.tournaments.create(TournamentOrder(**structs.asdict(plan)))
        return await self._reading.tournament_shape(record)

    async def start_tournament(self, call: Call) -> TournamentDetail:
        """Start a created tournament, or go on with a paused one."""
        record = await self._reading.tournament_record(call)
        return await self._done(self._backend.tournaments.start(record.id))

    async def pause_tournament(self, call: Call) -> TournamentDetail:
        """Start no further games; those under way go on."""
        record = await self._reading.tournament_record(call)
        return await self._done(self._backend.tournaments.pause(record.id))

    async def cancel_tournament(self, call: Call) -> TournamentDetail:
        """End a tournament as it stands."""
        record = await self._reading.tournament_record(call)
        return await self._done(self._backend.tournaments.cancel(record.id))

    async def enter_tournament(self, call: Call) -> TournamentDetail:
        """Enter bots: before the start, or later where the format permits."""
        order: EnterOrder = call.body
        record = await self._reading.tournament_record(call)
        return await self._done(self._backend.tournaments.enter(record.id, order.bots))

    async def withdraw_from_tournament(self, call: Call) -> TournamentDetail:
        """Take a bot out of a tournament: it forfeits what it has not begun."""
        order: WithdrawOrder = call.body
        record = await self._reading.tournament_record(call)
        return await self._done(self._backend.tournaments.withdraw(record.id, order.bot))

    async def bye_in_tournament(self, call: Call) -> TournamentDetail:
        """Give a bot the bye it has asked for in the next round of a Swiss: half a point without a game."""
        order: ByeOrder = call.body
        record = await self._reading.tournament_record(call)
        return await self._done(self._backend.tournaments.rest(record.id, order.bot))

    async def _done(self, command: Awaitable[TournamentRecord]) -> TournamentDetail:
        try:
            return await self._reading.tournament_shape(await command)
        except TournamentError as error:
            raise Refusal(409, str(error)) from None
