"""Programs that a server runs for bots: handed in, looked at and chosen by their owners."""

from __future__ import annotations

import asyncio

import msgspec
from aiohttp import web

from tabiya.games.registry import names
from tabiya.server.hosting import Hosting, ProgramRefused
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.auth import Authorizer
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, HttpError, not_found, number_in_path
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.program_responses import (
    Examination,
    LostMatch,
    LostMatches,
    Program,
    Programs,
    ProgramSource,
)
from tabiya.server.web.schemas.requests import ProgramOrder
from tabiya.server.web.views.program_source import source_of
from tabiya.storage.program_records import ProgramRecord
from tabiya.storage.records import BotRecord

FAILURES = 50


class ProgramHandlers:
    """The handlers for programs. Only a bot's owner and operators see them."""

    def __init__(self, facade: ServerFacade, queries: QueryHandlers, authorizer: Authorizer) -> None:
        self._facade, self._queries, self._authorizer = facade, queries, authorizer

    async def programs(self, call: ApiCall) -> Programs:
        """The versions of a bot's program."""
        return await self._shown_all(await self._owned(call))

    async def hand_in(self, call: ApiCall) -> Program:
        """Hand in a program: it is examined, and plays from then on if it passes."""
        order: ProgramOrder = call.body
        bot, hosting = await self._owned(call), self._hosting
        if order.game not in names():
            not_found("game", order.game)
        if bot.guest:
            raise HttpError(409, f"{bot.name} plays under a free name and has no account")
        try:
            return self._shown(await hosting.hand_in(bot, order.game, order.file_name, order.content))
        except ProgramRefused as error:
            raise HttpError(400, str(error), "content") from None

    async def use(self, call: ApiCall) -> Programs:
        """Let a version play from now on that has passed its examination."""
        bot = await self._owned(call)
        program = await self._version(call, bot)
        if program.state != "good":
            raise HttpError(409, f"version {program.number} has not passed its examination")
        await self._hosting.use(bot, program)
        return await self._shown_all(bot)

    async def stop(self, call: ApiCall) -> Programs:
        """Let no version play any more; games that run are played to their end."""
        bot = await self._owned(call)
        await self._hosting.use(bot, None)
        return await self._shown_all(bot)

    async def files(self, call: ApiCall) -> web.Response:
        """The files of a version, as a zip."""
        bot = await self._owned(call)
        program = await self._version(call, bot)
        data = await self._facade.store.program_files(program.id)
        named = {"Content-Disposition": f'attachment; filename="version-{program.number}.zip"'}
        return web.Response(body=data, content_type="application/zip", headers=NO_CACHE | named)

    async def source(self, call: ApiCall) -> ProgramSource:
        """The text of a version's bot."""
        bot = await self._owned(call)
        program = await self._version(call, bot)
        data = await self._facade.store.program_files(program.id)
        found = await asyncio.to_thread(source_of, data) if data else None
        return found or not_found("one Python file to be shown in version", program.number)

    async def failures(self, call: ApiCall) -> LostMatches:
        """The matches that a bot has lost because its program failed."""
        bot = await self._owned(call)
        lost = await self._facade.store.failures_of(bot.id, FAILURES)
        shown = (LostMatch(match=each.match_id, version=each.version, text=each.text) for each in lost)
        return LostMatches(bot=bot.name, failures=tuple(shown))

    # --- parts

    @property
    def _hosting(self) -> Hosting:
        if self._facade.hosting is None:
            raise HttpError(503, "this server runs no programs for bots; it would have to be started with --hosted")
        return self._facade.hosting

    async def _owned(self, call: ApiCall) -> BotRecord:
        bot = await self._queries.bot_record(call.request.match_info["name"])
        await self._authorizer.check_owner_or_operator(call.request, bot)
        return bot

    async def _version(self, call: ApiCall, bot: BotRecord) -> ProgramRecord:
        number = number_in_path(call.request, "number", "version")
        found = [program for program in await self._facade.store.programs(bot.id) if program.number == number]
        return found[0] if found else not_found(f"version of {bot.name} with the number", number)

    async def _shown_all(self, bot: BotRecord) -> Programs:
        found = await self._facade.store.programs(bot.id)
        return Programs(bot=bot.name, programs=tuple(map(self._shown, found)))

    def _shown(self, program: ProgramRecord) -> Program:
        hosting = self._facade.hosting
        return Program(
            number=program.number,
            game=program.game,
            digest=program.digest,
            file_name=program.file_name,
            bytes=program.bytes,
            created_at=program.created_at,
            state=program.state,
            examination=msgspec.json.decode(program.report, type=Examination) if program.report else None,
            in_use=program.in_use,
            doing=hosting.doing(program) if hosting else "",
        )
