"""Hosted programs of bots: the server keeps them; workers check each version and let the programs play in turn.

    hosting = ProgramHosting(sandbox)
    await hosting.serve(server)       # on the server's event loop
    await hosting.close()

A turn is some games against anyone who seeks one, as any bot plays, or with whom the ladder has them play; then another
program has its turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable, Mapping

from tabiya.classroom.grades import MUCH_MEMORY
from tabiya.hosting.ladder import Ladder
from tabiya.hosting.leases import HEARTBEAT_S, LEASE_S, NEEDED_MB, ProgramLeases
from tabiya.hosting.turns import Queue
from tabiya.hosting.upload import TooMany, UploadRefused, check_number, read_upload
from tabiya.server.app import TabiyaServer
from tabiya.server.core.events import Aborted
from tabiya.server.hosting import HeartbeatReply, ProgramRefused, SeenWorker, TooManyVersions, Wait, Work, WorkerState
from tabiya.storage.errors import StoreError
from tabiya.storage.program_records import LeaseOutcome, NewProgram, ProgramId, ProgramRecord, Usage, WishRecord
from tabiya.storage.records import BotId, BotRecord, MatchRecord, ResultRecord

log = logging.getLogger("tabiya.hosting")

OWN_WORKER = "this server's machine"
ARRANGE_S = 1.0
POLL_S = 10.0  # between two looks at ratings and divisions


class ProgramHosting:
    """Keeps programs for one server, and leases them to workers."""

    memory_mb, much_memory_mb = NEEDED_MB, round(MUCH_MEMORY * NEEDED_MB)

    def __init__(
        self, sandbox: str, *, start: str = "", lease_s: float = LEASE_S, heartbeat_s: float = HEARTBEAT_S
    ) -> None:
        """sandbox: of every program at least (sandbox/option.py).  start: a first program."""
        self.start, self.lease_s, self.heartbeat_s = start, lease_s, heartbeat_s
        self._sandbox, self._handing_in = sandbox, asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def serve(self, server: TabiyaServer) -> None:
        """Begin, for a server that has started. Raises StoreError."""
        self._server, self._ladder = server, Ladder(server)
        await self._ladder.open()
        self._leases = ProgramLeases(
            server.store, self, sandbox=self._sandbox, lease_s=self.lease_s, heartbeat_s=self.heartbeat_s
        )
        await self._leases.open(own=(OWN_WORKER,))
        server.tournaments.programs = self._leases
        server.dispatcher.on_ended.append(self._game_ended)
        self._task = asyncio.create_task(self._run_ladder(), name="ladder of hosted programs")

    async def _run_ladder(self) -> None:
        loop, looked_s = asyncio.get_running_loop(), -POLL_S
        while True:
            try:
                if loop.time() >= looked_s + POLL_S:
                    looked_s = loop.time()
                    await self._ladder.refresh(self._leases.programs())
                self._abort_games_of(self._leases.drop_silent())
                await self._ladder.arrange(self._leases.programs(), self._leases.playing(), loop.time())
            except StoreError as error:
                log.error("the ladder of hosted programs: %s", error)
            except Exception:  # what runs goes on
                log.exception("the ladder of hosted programs: an internal error")
            await asyncio.sleep(ARRANGE_S)

    # --- what owners ask

    async def hand_in(self, bot: BotRecord, game: str, file_name: str, data: bytes) -> ProgramRecord:
        """Keep a program as the bot's next version, to be examined; it plays if it passes.

        Raises ProgramRefused, and of that TooManyVersions.
        """
        try:
            upload = await asyncio.to_thread(read_upload, file_name, data)
            new = NewProgram(
                bot_id=bot.id,
                game=game,
                digest=upload.digest,
                file_name=file_name,
                archive=upload.archive,
                created_at=time.time(),
            )
            async with self._handing_in:  # several at once would each find the same number
                program = await self._keep(new)
        except TooMany as error:
            raise TooManyVersions(str(error)) from None
        except UploadRefused as error:
            raise ProgramRefused(str(error)) from None
        await self._leases.load()
        return program

    async def _keep(self, new: NewProgram) -> ProgramRecord:
        versions = await self._server.store.programs(new.bot_id)
        is_known = versions and (versions[0].digest, versions[0].game) == (new.digest, new.game)
        if not is_known:
            check_number([each.created_at for each in versions], new.created_at)
        return await self._server.store.add_program(new)

    async def use(self, bot: BotRecord, program: ProgramRecord | None) -> None:
        """Let this version play from now on, or none."""
        await self._server.store.use_program(bot.id, program.id if program else None)
        await self._leases.load()

    async def ask_for(self, bot: BotRecord, opponent: BotRecord, game: str, games: int) -> int:
        """Request games between the two; returns how many more may be requested today. Raises ProgramRefused."""
        return await self._ladder.ask_for(bot, opponent, game, games)

    async def take_back_games(self, wish: WishRecord) -> None:
        """Cancel the waiting games that an owner has asked for; they do not count."""
        await self._ladder.take_back_games(wish)

    async def reload(self) -> None:
        """Read again which programs may play, after a change by operators."""
        await self._leases.load()

    def doing(self, program: ProgramRecord) -> str:
        """The present activity of a version, in a few words; "" for none."""
        return self._leases.doing(program)

    # --- what workers ask

    async def ask(self, worker: WorkerState) -> Work | Wait:
        """The next program for a worker, or how long it has to wait. Raises WorkerRefused, StoreError."""
        return await self._leases.ask(worker)

    async def heartbeat(
        self, held: tuple[tuple[ProgramId, int], ...], progress: Mapping[ProgramId, str]
    ) -> HeartbeatReply:
        """A worker reports its programs, each with its fence; returns those it has lost. Raises StoreError.

        progress: how far each is, for its owner.
        """
        return await self._leases.heartbeat(held, progress)

    async def report(
        self, program: ProgramId, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None = None
    ) -> bool:
        """A program's result; False, and nothing changes, if it is late or repeated.

        used: by this run; None where it was not measured.  Raises WorkerRefused for what cannot come of it, StoreError.
        """
        return await self._leases.report(program, fence, outcome, text, used)

    def workers(self) -> tuple[SeenWorker, ...]:
        """The workers that have asked lately, by name."""
        return self._leases.workers()

    async def own_worker_ended(self) -> None:
        """Free the programs of this machine's worker, which has ended. No game is lost by that."""
        self._abort_games_of(self._leases.turns_of(OWN_WORKER))
        await self._leases.release_workers((OWN_WORKER,))

    async def close(self) -> None:
        """The worker of this machine ends with the server."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await self._leases.release_workers((OWN_WORKER,))  # its games go on after a restart

    def _abort_games_of(self, bots: Iterable[BotId]) -> None:
        """End their games without a result: a clock would run out before their programs could be run elsewhere."""
        runner = self._server.dispatcher.runner
        for bot in bots:
            for active in runner.matches_of(bot):
                runner.post_to(active.record.id, Aborted("the machine that ran a program has gone", runner.now_ns()))

    def _game_ended(self, match: MatchRecord, result: ResultRecord) -> None:
        for seat in match.seats:
            self._leases.game_ended(seat.bot_id)

    # --- what the leases ask of the server

    def is_disabled(self, bot: BotId) -> bool:
        """Whether an operator lets no program of the bot run."""
        return self._server.program_rules.is_disabled(bot)

    def bot_is_there(self, bot: BotId) -> bool:
        """Whether the bot is connected."""
        return self._server.dispatcher.sessions.by_bot(bot) is not None

    def bot_plays(self, bot: BotId) -> bool:
        """Whether the bot has a game now, or one that is being made for it."""
        dispatcher = self._server.dispatcher
        session = dispatcher.sessions.by_bot(bot)
        is_seated = session is not None and dispatcher.matchmaker.seats_taken(session) > 0
        return is_seated or bool(dispatcher.runner.matches_of(bot))

    def is_entered(self, bot: BotId) -> bool:
        """Whether a tournament may still have games for the bot; it gets no others meanwhile."""
        return self._server.tournaments.needs(bot)

    def opponents(self, bot: BotId) -> frozenset[BotId]:
        """The bots that it will play as soon as both are connected."""
        return frozenset(other for pair in self._server.tournaments.awaited() if bot in pair for other in pair) - {bot}

    def withdraw_seeks(self, bot: BotId) -> None:
        """Let no game with the bot begin, unless it seeks one again."""
        session = self._server.dispatcher.sessions.by_bot(bot)
        if session is not None:
            self._server.dispatcher.matchmaker.leave(session)

    async def name_of(self, bot: BotId) -> str:
        return await self._ladder.name_of(bot)

    def accept_token(self, token_hash: str, bot: BotId) -> None:
        """Accept the token with this hash for the bot."""
        self._server.accounts.accept_token(token_hash, bot)

    def take_back(self, token_hash: str) -> None:
        """Make the token invalid."""
        self._server.accounts.take_back(token_hash)

    def next_programs(self, queue: Queue) -> list[ProgramRecord]:
        """The programs to start now, at most as many as there are places."""
        return self._ladder.next(queue)
