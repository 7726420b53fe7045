"""The writing verbs, once for every store: each makes a write, gives it to the one writer and waits."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from tabiya.storage.errors import StoreError
from tabiya.storage.group_commit import BatchWriter, Ticket
from tabiya.storage.records import (
    BotId,
    BotRecord,
    MatchId,
    MoveRecord,
    NewMatch,
    NewTournament,
    ResultRecord,
    Role,
    TournamentId,
    TournamentStep,
)
from tabiya.storage.store import Done
from tabiya.storage.writes import (
    AppendMove,
    CreateBot,
    CreateMatch,
    CreateTournament,
    FinishMatch,
    FreezeMatch,
    MatchWrite,
    PutSetting,
    RotateToken,
    SaveStep,
    SetRole,
    Write,
)


class WritingVerbs:
    """Half of `Store`; the other half reads."""

    _writer: BatchWriter

    @property
    def waiting(self) -> int:
        """Writes submitted and not yet answered."""
        return self._writer.waiting

    def submit(self, write: MatchWrite, done: Done) -> None:
        """See `Store.submit`."""
        self._writer.submit(Ticket(write, done))

    async def _save(self, write: Write) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def tell(error: StoreError | None) -> None:
            if answer.done():  # the caller was cancelled; the write is not
                return
            if error is None:
                answer.set_result(ticket.value)
            else:
                answer.set_exception(error)

        ticket = Ticket(write, tell)
        self._writer.submit(ticket)
        return await answer

    async def append_move(self, move: MoveRecord) -> None:
        """See `Store.append_move`."""
        await self._save(AppendMove(move))

    async def finish_match(self, result: ResultRecord, move: MoveRecord | None = None) -> None:
        """See `Store.finish_match`."""
        await self._save(FinishMatch(result, move))

    async def freeze_match(self, match_id: MatchId, reason: str) -> None:
        """See `Store.freeze_match`."""
        await self._save(FreezeMatch(match_id, reason))

    async def create_match(self, match: NewMatch) -> MatchId:
        """See `Store.create_match`."""
        return cast(MatchId, await self._save(CreateMatch(match)))

    async def create_bot(
        self, name: str, *, token_hash: str | None = None, role: Role = "bot", guest: bool = False, created_at: float
    ) -> BotRecord:
        """See `Store.create_bot`."""
        return cast(BotRecord, await self._save(CreateBot(name, token_hash, role, guest, created_at)))

    async def rotate_token(self, bot_id: BotId, token_hash: str | None) -> None:
        """See `Store.rotate_token`."""
        await self._save(RotateToken(bot_id, token_hash))

    async def set_role(self, bot_id: BotId, role: Role) -> None:
        """See `Store.set_role`."""
        await self._save(SetRole(bot_id, role))

    async def create_tournament(self, tournament: NewTournament) -> TournamentId:
        """See `Store.create_tournament`."""
        return cast(TournamentId, await self._save(CreateTournament(tournament)))

    async def save_tournament_step(self, step: TournamentStep) -> tuple[MatchId, ...]:
        """See `Store.save_tournament_step`."""
        return cast("tuple[MatchId, ...]", await self._save(SaveStep(step)))

    async def put_setting(self, name: str, value: str) -> None:
        """See `Store.put_setting`."""
        await self._save(PutSetting(name, value))

    async def keep_setting(self, name: str, value: str) -> str:
        """See `Store.keep_setting`."""
        return cast(str, await self._save(PutSetting(name, value, keep=True)))
