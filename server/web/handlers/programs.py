"""Programs that a server runs for bots: handed in, looked at and chosen by their owners."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable

import msgspec
from aiohttp import web

from tabiya.games.registry import names
from tabiya.server.hosting import Hosting, ProgramRefused, TooManyVersions
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.auth import Authorizer
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, HttpError, not_found, number_in_path
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.program_responses import (
    Examination,
    GamesAskedFor,
    HostedBot,
    HostedBots,
    LostMatch,
    LostMatches,
    Program,
    Programs,
    ProgramSource,
    ProgramUsage,
    WaitingGames,
)
from tabiya.server.web.schemas.requests import DeadlineOrder, GamesOrder, ProgramOrder
from tabiya.server.web.views.presentation import format_local_time
from tabiya.server.web.views.program_archive import ProgramArchive
from tabiya.server.web.views.program_source import source_of
from tabiya.storage.program_records import ProgramRecord, WishRecord
from tabiya.storage.records import BotId, BotRecord

FAILURES = 50
PIECE = 256 * 1024  # bytes of a download


class ProgramHandlers:
    """The handlers for programs. Only a bot's owner and operators see them."""

    def __init__(self, facade: ServerFacade, queries: QueryHandlers, authorizer: Authorizer) -> None:
        self._facade, self._queries, self._authorizer = facade, queries, authorizer

    async def programs(self, call: ApiCall) -> Programs:
        """The versions of a bot's program."""
        return await self._shown_all(await self._owned(call))

    async def hand_in(self, call: ApiCall) -> Program:
        """Upload a program: it is checked, and plays if it passes."""
        order: ProgramOrder = call.body
        bot, hosting = await self._owned(call), self._hosting
        if order.game not in names():
            not_found("game", order.game)
        self._check_may_change(bot)
        deadline = self._facade.program_rules.deadline
        if deadline is not None and time.time() >= deadline:
            raise HttpError(
                409, f"uploads ended at {format_local_time(deadline)}; ask the person who runs the server for more time"
            )
        if bot.guest:
            raise HttpError(409, f"{bot.name} plays without a token and has no account")
        try:
            return self._shown(await hosting.hand_in(bot, order.game, order.file_name, order.content))
        except TooManyVersions as error:
            raise HttpError(409, str(error)) from None
        except ProgramRefused as error:
            raise HttpError(400, str(error), "content") from None

    async def use(self, call: ApiCall) -> Programs:
        """Let a version that passed its check play from now on."""
        bot = await self._owned(call)
        self._check_may_change(bot)
        program = await self._version(call, bot)
        if program.state != "good":
            raise HttpError(409, f"version {program.number} has not passed the check")
        await self._hosting.use(bot, program)
        return await self._shown_all(bot)

    async def stop(self, call: ApiCall) -> Programs:
        """Let no version play any more; running games are played to the end."""
        bot = await self._owned(call)
        await self._hosting.use(bot, None)
        return await self._shown_all(bot)

    async def ask_for_games(self, call: ApiCall) -> GamesAskedFor:
        """Request games of the present program against another program, or a bot when it is connected and free."""
        order: GamesOrder = call.body
        bot, opponent = await self._owned(call), await self._queries.bot_record(order.opponent)
        self._check_may_change(bot)
        used = [program for program in await self._facade.store.programs(bot.id) if program.in_use]
        if not used:
            raise HttpError(409, f"no version of {bot.name} plays")
        if opponent.id == bot.id:
            raise HttpError(400, "a bot cannot play against itself", "opponent")
        try:
            left = await self._hosting.ask_for(bot, opponent, used[0].game, order.games)
        except ProgramRefused as error:
            raise HttpError(429, str(error)) from None
        return GamesAskedFor(bot=bot.name, opponent=opponent.name, game=used[0].game, games=order.games, left=left)

    async def take_back(self, call: ApiCall) -> Programs:
        """Withdraw requested games that have not begun. A running game is played to the end."""
        bot, number = await self._owned(call), number_in_path(call.request, "wish", "wish")
        found = [wish for wish in await self._facade.store.wishes(bot.id) if wish.id == number]
        if not found:
            not_found(f"wish of {bot.name} with the number", number)
        await self._hosting.take_back_games(found[0])
        return await self._shown_all(bot)

    async def files(self, call: ApiCall) -> web.Response:
        """The files of a version, as a zip."""
        bot = await self._owned(call)
        program = await self._version(call, bot)
        data = await self._facade.store.program_files(program.id)
        named = {"Content-Disposition": f'attachment; filename="version-{program.number}.zip"'}
        return web.Response(body=data, content_type="application/zip", headers=NO_CACHE | named)

    async def source(self, call: ApiCall) -> ProgramSource:
        """The source code of a version's bot."""
        bot = await self._owned(call)
        program = await self._version(call, bot)
        data = await self._facade.store.program_files(program.id)
        found = await asyncio.to_thread(source_of, data) if data else None
        return found or not_found("one Python file to be shown in version", program.number)

    async def failures(self, call: ApiCall) -> LostMatches:
        """Matches that a bot lost because its program failed."""
        bot = await self._owned(call)
        lost = await self._facade.store.failures_of(bot.id, FAILURES)
        shown = (LostMatch(match=each.match_id, version=each.version, text=each.text) for each in lost)
        return LostMatches(bot=bot.name, failures=tuple(shown))

    # --- for operators

    async def hosted(self, call: ApiCall) -> HostedBots:
        """The bots with uploaded programs."""
        by_bot: dict[BotId, list[ProgramRecord]] = {}
        for program in await self._facade.store.all_programs():
            by_bot.setdefault(program.bot_id, []).append(program)
        found = [self._hosted(await self._bot(bot_id), versions) for bot_id, versions in by_bot.items()]
        found.sort(key=lambda each: each.bot.casefold())
        return HostedBots(deadline=self._facade.program_rules.deadline, bots=tuple(found))

    async def all_files(self, call: ApiCall) -> web.StreamResponse:
        """All programs in one zip: the present ones in the layout of `tabiya class run`, all versions, and a list."""
        store = self._facade.store
        with tempfile.TemporaryFile() as file:
            archive = ProgramArchive(file)
            for program in await store.all_programs():
                files, bot = await store.program_files(program.id), await self._bot(program.bot_id)
                await asyncio.to_thread(archive.add, bot.name, program, files or b"")
            await asyncio.to_thread(archive.close)
            file.seek(0)
            named = {"Content-Disposition": 'attachment; filename="programs.zip"'}
            response = web.StreamResponse(headers=NO_CACHE | named)
            response.content_type = "application/zip"
            await response.prepare(call.request)
            while piece := await asyncio.to_thread(file.read, PIECE):
                await response.write(piece)
            await response.write_eof()
        return response

    async def set_deadline(self, call: ApiCall) -> HostedBots:
        """Set the deadline for new versions. Earlier versions continue to play."""
        order: DeadlineOrder = call.body
        await self._facade.program_rules.set_deadline(order.at)
        return await self.hosted(call)

    async def disable(self, call: ApiCall) -> Programs:
        """Disable a bot's programs; running games are played to the end."""
        return await self._changed(call, self._facade.program_rules.disable)

    async def enable(self, call: ApiCall) -> Programs:
        """Enable a bot's programs again."""
        return await self._changed(call, self._facade.program_rules.enable)

    # --- parts

    async def _changed(self, call: ApiCall, change: Callable[[BotId], Awaitable[None]]) -> Programs:
        bot = await self._queries.bot_record(call.request.match_info["name"])
        await change(bot.id)
        if self._facade.hosting is not None:
            await self._facade.hosting.reload()
        return await self._shown_all(bot)

    async def _bot(self, bot_id: BotId) -> BotRecord:
        return await self._facade.store.bot(bot_id) or not_found("bot", bot_id)

    def _hosted(self, bot: BotRecord, versions: list[ProgramRecord]) -> HostedBot:
        used = next((program for program in versions if program.in_use), None)
        return HostedBot(
            bot=bot.name,
            disabled=self._facade.program_rules.is_disabled(bot.id),
            versions=len(versions),
            newest=self._shown(versions[0]),
            used=self._shown(used) if used else None,
        )

    def _check_may_change(self, bot: BotRecord) -> None:
        if self._facade.program_rules.is_disabled(bot.id):
            raise HttpError(403, f"the programs of {bot.name} are disabled; ask the person who runs the server")

    @property
    def _hosting(self) -> Hosting:
        if self._facade.hosting is None:
            raise HttpError(503, "this server runs no uploaded programs; it must be started with --hosted")
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
        rules = self._facade.program_rules
        return Programs(
            bot=bot.name,
            programs=tuple(map(self._shown, found)),
            deadline=rules.deadline,
            disabled=rules.is_disabled(bot.id),
            asked_for=tuple(
                [await self._wished(wish) for wish in await self._facade.store.wishes(bot.id) if wish.waiting]
            ),
        )

    async def _wished(self, wish: WishRecord) -> WaitingGames:
        opponent = await self._bot(wish.opponent_id)
        return WaitingGames(
            number=wish.id, opponent=opponent.name, game=wish.game, games=wish.waiting, asked_at=wish.asked_at
        )

    def _shown(self, program: ProgramRecord) -> Program:
        hosting, is_disabled = self._facade.hosting, self._facade.program_rules.is_disabled(program.bot_id)
        doing = "is disabled" if is_disabled and program.in_use else hosting.doing(program) if hosting else ""
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
            doing=doing,
            usage=_usage(program, hosting) if hosting and program.peak_mb else None,
        )


def _usage(program: ProgramRecord, hosting: Hosting) -> ProgramUsage:
    return ProgramUsage(
        turns=program.measured_turns,
        turns_cpu_s=round(program.turns_cpu_s, 2),
        examination_cpu_s=round(program.examination_cpu_s, 2),
        peak_mb=program.peak_mb,
        memory_mb=hosting.memory_mb,
        much_memory=program.peak_mb > hosting.much_memory_mb,
    )
