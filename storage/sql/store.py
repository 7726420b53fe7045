"""`SqlStore`: the verbs over a database."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tabiya.storage.errors import StoreError
from tabiya.storage.group_commit import BatchWriter
from tabiya.storage.records import (
    BotId,
    BotRecord,
    GameResult,
    MatchFilter,
    MatchId,
    MatchRecord,
    MoveRecord,
    MoveTimes,
    StoredMatches,
    TournamentId,
    TournamentRecord,
)
from tabiya.storage.sql import match_loader, reads
from tabiya.storage.sql.backend import Backend
from tabiya.storage.sql.integrity import faults_in
from tabiya.storage.sql.schema import revision_of
from tabiya.storage.write_api import WritingVerbs


class SqlStore(WritingVerbs):
    """A `Store` in a database.  Created on the running event loop by `open_store`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._writer = BatchWriter(asyncio.get_running_loop(), backend.commit)
        self._closed = False
        backend.start(self._writer.settled)

    @property
    def address(self) -> str:
        """See `Store.address`."""
        return str(self._backend.address)

    @property
    def batches(self) -> int:
        """Transactions sent so far, for measurements."""
        return self._writer.batches

    @property
    def most_in_a_batch(self) -> int:
        """How many writes go into one transaction at most."""
        return self._writer.most

    @most_in_a_batch.setter
    def most_in_a_batch(self, most: int) -> None:
        self._writer.most = most

    async def match(self, match_id: MatchId) -> MatchRecord | None:
        """See `Store.match`."""
        return await self._backend.read(reads.read_match, match_id)

    async def moves(self, match_id: MatchId) -> tuple[MoveRecord, ...]:
        """See `Store.moves`."""
        return await self._backend.read(reads.read_moves, match_id)

    async def move_lists(self, match_ids: Sequence[MatchId]) -> dict[MatchId, tuple[str, ...]]:
        """See `Store.move_lists`."""
        return await self._backend.read(reads.move_lists, match_ids)

    async def unfinished_matches(self) -> StoredMatches:
        """See `Store.unfinished_matches`."""
        try:
            return await self._backend.read(match_loader.unfinished_matches)
        except StoreError:
            return await self._backend.read(match_loader.unfinished_matches, at_once=False)

    async def stored_matches(self, after: MatchId, limit: int) -> StoredMatches:
        """See `Store.stored_matches`."""
        try:
            return await self._backend.read(match_loader.stored_matches, after, limit)
        except StoreError:
            return await self._backend.read(match_loader.stored_matches, after, limit, at_once=False)

    async def list_matches(self, wanted: MatchFilter | None = None) -> tuple[MatchRecord, ...]:
        """See `Store.list_matches`."""
        return await self._backend.read(reads.list_matches, wanted or MatchFilter())

    async def results(
        self, game: str | None = None, *, rated_only: bool = True, after: int = 0, limit: int | None = None
    ) -> tuple[GameResult, ...]:
        """See `Store.results`."""
        return await self._backend.read(reads.read_results, game, rated_only, after, limit)

    async def ending_counts(
        self, game: str | None = None, tournament_id: TournamentId | None = None
    ) -> dict[str, dict[str, int]]:
        """See `Store.ending_counts`."""
        return await self._backend.read(reads.ending_counts, game, tournament_id)

    async def move_times(self, bot_id: BotId) -> tuple[MoveTimes, ...]:
        """See `Store.move_times`."""
        return await self._backend.read(reads.move_times, bot_id)

    async def bot(self, bot_id: BotId) -> BotRecord | None:
        """See `Store.bot`."""
        return await self._backend.read(reads.read_bot, bot_id)

    async def bot_by_name(self, name: str) -> BotRecord | None:
        """See `Store.bot_by_name`."""
        return await self._backend.read(reads.bot_by_name, name)

    async def bot_by_token_hash(self, token_hash: str) -> BotRecord | None:
        """See `Store.bot_by_token_hash`."""
        return await self._backend.read(reads.bot_by_token_hash, token_hash)

    async def list_bots(self, *, guests: bool = True) -> tuple[BotRecord, ...]:
        """See `Store.list_bots`."""
        return await self._backend.read(reads.list_bots, guests)

    async def tournament(self, tournament_id: TournamentId) -> TournamentRecord | None:
        """See `Store.tournament`."""
        return await self._backend.read(reads.read_tournament, tournament_id)

    async def list_tournaments(self) -> tuple[TournamentRecord, ...]:
        """See `Store.list_tournaments`."""
        return await self._backend.read(reads.list_tournaments)

    async def tournament_matches(self, tournament_id: TournamentId) -> tuple[MatchRecord, ...]:
        """See `Store.tournament_matches`."""
        return await self._backend.read(reads.tournament_matches, tournament_id)

    async def setting(self, name: str) -> str | None:
        """See `Store.setting`."""
        return await self._backend.read(reads.read_setting, name)

    async def schema_version(self) -> str:
        """See `Store.schema_version`."""
        return await self._backend.read(revision_of) or "none"

    async def check(self) -> list[str]:
        """See `Store.check`."""
        return await self._backend.read(faults_in)

    async def backup(self, path: Path) -> None:
        """See `Store.backup`."""
        await self._backend.backup(path)

    async def close(self) -> None:
        """See `Store.close`."""
        if not self._closed:
            self._closed = True
            await self._writer.close()
            await self._backend.close()
