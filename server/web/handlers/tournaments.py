"""POST handlers for tournaments. Access has been checked (routes.py)."""

from __future__ import annotations

from collections.abc import Awaitable

from msgspec.structs import replace

from tabiya.server.tournaments.settings import TournamentChange, TournamentError, TournamentOrder
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.json_responses import ApiCall, HttpError
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.requests import ByeOrder, EnterOrder, WithdrawOrder
from tabiya.server.web.schemas.tournament_responses import TournamentDetail
from tabiya.storage.records import TournamentRecord


class TournamentHandlers:
    """The POST handlers for tournaments."""

    _facade: ServerFacade
    _queries: QueryHandlers

    async def create_tournament(self, call: ApiCall) -> TournamentDetail:
        """Create a tournament, and start it unless it is set otherwise."""
        order: TournamentOrder = call.body
        return await self._with_warnings(await self._facade.tournaments.create(order))

    async def start_tournament(self, call: ApiCall) -> TournamentDetail:
        """Start a tournament, or resume a paused one."""
        record = await self._queries.tournament_record(call)
        return await self._with_warnings(await self._done(self._facade.tournaments.start(record.id)))

    async def pause_tournament(self, call: ApiCall) -> TournamentDetail:
        """Start no new games; running games continue."""
        record = await self._queries.tournament_record(call)
        return await self._detail(await self._done(self._facade.tournaments.pause(record.id)))

    async def cancel_tournament(self, call: ApiCall) -> TournamentDetail:
        """End a tournament now, with its results so far."""
        record = await self._queries.tournament_record(call)
        return await self._detail(await self._done(self._facade.tournaments.cancel(record.id)))

    async def change_tournament(self, call: ApiCall) -> TournamentDetail:
        """Change the name or settings of a tournament; a Swiss that has ended goes on with more rounds."""
        order: TournamentChange = call.body
        record = await self._queries.tournament_record(call)
        return await self._detail(await self._done(self._facade.tournaments.change(record.id, order)))

    async def enter_tournament(self, call: ApiCall) -> TournamentDetail:
        """Enter bots, or bring withdrawn ones back: later if the format allows it, also after the end."""
        order: EnterOrder = call.body
        record = await self._queries.tournament_record(call)
        entered = await self._done(self._facade.tournaments.enter(record.id, order.bots))
        return await self._with_warnings(entered, order.bots)

    async def withdraw_from_tournament(self, call: ApiCall) -> TournamentDetail:
        """Withdraw a bot; it forfeits its games that have not begun."""
        order: WithdrawOrder = call.body
        record = await self._queries.tournament_record(call)
        return await self._detail(await self._done(self._facade.tournaments.withdraw(record.id, order.bot)))

    async def bye_in_tournament(self, call: ApiCall) -> TournamentDetail:
        """Give a bot a bye in the next round of a Swiss: half a point without a game."""
        order: ByeOrder = call.body
        record = await self._queries.tournament_record(call)
        return await self._detail(await self._done(self._facade.tournaments.give_bye(record.id, order.bot)))

    async def _done(self, command: Awaitable[TournamentRecord]) -> TournamentRecord:
        try:
            return await command
        except TournamentError as error:
            raise HttpError(409, str(error)) from None

    async def _detail(self, record: TournamentRecord) -> TournamentDetail:
        return await self._queries.tournament_views.detail(record)

    async def _with_warnings(self, record: TournamentRecord, bots: tuple[str, ...] = ()) -> TournamentDetail:
        """bots: those to warn of; empty: all that have entered."""
        warnings = await self._facade.tournaments.warnings(record, bots)
        return replace(await self._detail(record), warnings=warnings)
