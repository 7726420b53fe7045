"""`SqlStore`: a `Store` over a database."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Concatenate

from sqlalchemy import Connection

from tabiya.storage.errors import StoreError, WriteRefused
from tabiya.storage.group_commit import Batch
from tabiya.storage.records import MatchFilter, StoredMatches
from tabiya.storage.sql.database import Database, P, T
from tabiya.storage.sql.statements import bot_games, hosted_programs, match_loader, program_leases, reads
from tabiya.storage.sql.statements.audit import read_audit
from tabiya.storage.sql.statements.hosts import read_hosts
from tabiya.storage.sql.statements.integrity import faults_in
from tabiya.storage.sql.statements.wishes import read_wishes
from tabiya.storage.store import Store


def _verb(query: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """The method of the store that is answered by this query."""

    async def read(store: SqlStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await store._database.read(query, *args, **kwargs)
        except StoreError:
            store.read_errors += 1
            raise

    return read


class SqlStore(Store):
    """Created on the running event loop by `open_store`."""

    def __init__(self, database: Database, *, read_only: bool = False) -> None:
        super().__init__(self._refuse if read_only else database.write_batch)
        self._database = database
        self._closed = False
        self.given_up = database.given_up
        if not read_only:
            database.start(self.writer.resolve)

    def _refuse(self, batch: Batch) -> None:
        for pending in batch:
            pending.error = WriteRefused(f"{self.address} is opened for reading only")
        self.writer.resolve(batch)

    @property
    def address(self) -> str:
        return str(self._database.address)

    match = _verb(reads.read_match)
    moves = _verb(reads.read_moves)
    move_lists = _verb(reads.move_lists)
    failure = _verb(reads.read_failure)
    failures_of = _verb(bot_games.failures_of)
    list_matches = _verb(reads.list_matches)
    results = _verb(reads.read_results)
    ending_counts = _verb(reads.ending_counts)
    move_times = _verb(reads.move_times)
    games_of_bot = _verb(bot_games.games_of_bot)
    game_openings = _verb(bot_games.game_openings)
    think_times = _verb(bot_games.think_times)
    bot = _verb(reads.read_bot)
    bot_by_name = _verb(reads.bot_by_name)
    bot_by_token_hash = _verb(reads.bot_by_token_hash)
    list_bots = _verb(reads.list_bots)
    tournament = _verb(reads.read_tournament)
    list_tournaments = _verb(reads.list_tournaments)
    ended_tournaments = _verb(reads.ended_tournaments)
    tournament_matches = _verb(reads.tournament_matches)
    review = _verb(reads.read_review)
    programs = _verb(hosted_programs.programs_of)
    open_programs = _verb(hosted_programs.open_programs)
    all_programs = _verb(hosted_programs.all_programs)
    program_files = _verb(hosted_programs.program_files)
    leases = _verb(program_leases.leases_of_open_programs)
    wishes = _verb(read_wishes)
    hosts = _verb(read_hosts)
    hosts_of_matches = _verb(match_loader.hosts_of_matches)
    whole_matches = _verb(match_loader.whole_matches)
    session = _verb(reads.read_session)
    audit = _verb(read_audit)
    setting = _verb(reads.read_setting)
    schema_version = _verb(reads.schema_version)
    check = _verb(faults_in)

    async def unfinished_matches(self) -> StoredMatches:
        try:
            return await self._database.read(match_loader.unfinished_matches)
        except StoreError:  # of a damaged page; if the database is gone, this fails as well
            return await self._database.read(match_loader.unfinished_matches, at_once=False)

    async def stored_matches(self, wanted: MatchFilter) -> StoredMatches:
        try:
            return await self._database.read(match_loader.stored_matches, wanted)
        except StoreError:
            return await self._database.read(match_loader.stored_matches, wanted, at_once=False)

    async def backup(self, path: Path) -> None:
        await self._database.backup(path)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await super().close()
            await self._database.close()
