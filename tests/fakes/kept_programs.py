"""A hosting that keeps what it is handed, and runs nothing."""

from __future__ import annotations

from collections.abc import Mapping

from tabiya.server.hosting import HeartbeatReply, ProgramRefused, SeenWorker, TooManyVersions, Wait, Work, WorkerState
from tabiya.storage.program_records import (
    LeaseOutcome,
    NewProgram,
    NewWish,
    ProgramId,
    ProgramRecord,
    Usage,
    WishRecord,
)
from tabiya.storage.records import BotRecord
from tabiya.storage.store import Store


class KeptPrograms:
    """Takes all but what is empty, and nothing beyond `most` versions."""

    start = "from tabiya import Bot\n"
    lease_s, heartbeat_s = 30.0, 5.0
    most = 20
    memory_mb, much_memory_mb = 640, 512

    def __init__(self, store: Store) -> None:
        self._store = store

    async def hand_in(self, bot: BotRecord, game: str, file_name: str, data: bytes) -> ProgramRecord:
        if not data:
            raise ProgramRefused("the zip has no files")
        if len(await self._store.programs(bot.id)) >= self.most:
            raise TooManyVersions(f"a bot has at most {self.most} versions")
        new = NewProgram(
            bot_id=bot.id, game=game, digest=str(len(data)), file_name=file_name, archive=data, created_at=1.0
        )
        return await self._store.add_program(new)

    async def ask_for(self, bot: BotRecord, opponent: BotRecord, game: str, games: int) -> int:
        wish = NewWish(bot_id=bot.id, opponent_id=opponent.id, game=game, games=games, asked_at=1.0)
        await self._store.add_wish(wish, forget_before=0.0)
        return 20 - games

    async def take_back_games(self, wish: WishRecord) -> None:
        await self._store.take_back_wish(wish.id)

    async def use(self, bot: BotRecord, program: ProgramRecord | None) -> None:
        await self._store.use_program(bot.id, program.id if program else None)

    async def reload(self) -> None: ...

    def doing(self, program: ProgramRecord) -> str:
        return "plays" if program.in_use else "waits"

    async def ask(self, worker: WorkerState) -> Work | Wait:
        return Wait(seconds=1.0, why="no program waits")

    async def heartbeat(
        self, held: tuple[tuple[ProgramId, int], ...], progress: Mapping[ProgramId, str]
    ) -> HeartbeatReply:
        return HeartbeatReply(lost=tuple(program for program, _ in held), stop=())

    async def report(
        self, program: ProgramId, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None = None
    ) -> bool:
        return False

    def workers(self) -> tuple[SeenWorker, ...]:
        return ()

    async def close(self) -> None: ...
