"""`MemoryStore`: the in-memory twin of the databases, driven by the event loop alone.

It passes the same tests.  For tests, simulations under virtual time and servers that need not remember.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.derived import as_json, folded, stored_match, without_damaged
from tabiya.storage.errors import HostEnded, StoreError
from tabiya.storage.group_commit import Batch, apply_each
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.program_records import Lease, LostByFailure, ProgramId, ProgramRecord, WishRecord
from tabiya.storage.records import (
    BotId,
    BotRecord,
    FailureRecord,
    GameFilter,
    GameOpening,
    GameResult,
    HostRecord,
    MatchFilter,
    MatchId,
    MatchRecord,
    MoveRecord,
    MoveTimes,
    ReviewRecord,
    SessionRecord,
    StoredMatches,
    ThinkTime,
    TournamentId,
    TournamentRecord,
    TournamentStatus,
)
from tabiya.storage.store import Store
from tabiya.storage.writes import Write


class MemoryStore(Store):
    """A `Store` that forgets everything with its tables.

    tables: what was committed before, to open the store again after a simulated crash; None for a new one.
    host: the number of the host whose store it is, over the tables of its server; 0 for the server's own.
    Created on the running event loop.
    """

    def __init__(self, tables: MemoryTables | None = None, *, host: int = 0) -> None:
        self.tables = tables if tables is not None else MemoryTables()
        self.host = host
        self._loop = asyncio.get_running_loop()
        super().__init__(self._write_batch)

    def _write_batch(self, batch: Batch) -> None:
        self.commit(batch, self.tables.apply)
        self._loop.call_soon(self.resolve, batch)  # as with a database, there are no callbacks within `submit`

    def commit(self, batch: Batch, apply: Callable[[Write], Any]) -> None:
        """Apply a batch, unless this is the store of a host that was ended."""
        refused = self.tables.refusal(self.host)
        if refused is None:
            apply_each(batch, apply)
        for pending in batch if refused is not None else ():
            pending.error = refused

    def resolve(self, batch: Batch) -> None:
        """A batch has been committed or has failed."""
        error = batch[0].error
        if isinstance(error, HostEnded) and not self.given_up.done():
            self.given_up.set_result(str(error))
        self.writer.resolve(batch)

    @property
    def address(self) -> str:
        return "memory:"

    # ---- matches

    async def match(self, match_id: MatchId) -> MatchRecord | None:
        match = self.tables.matches.get(match_id)
        return None if match is None else self.tables.with_plies(match)

    async def moves(self, match_id: MatchId, first: int = 0) -> tuple[MoveRecord, ...]:
        return self._moves(match_id, first)

    def _moves(self, match_id: MatchId, first: int = 0) -> tuple[MoveRecord, ...]:
        moves = self.tables.moves.get(match_id, {})
        return tuple(moves[ply] for ply in sorted(moves) if ply >= first)

    async def move_lists(self, match_ids: Sequence[MatchId]) -> dict[MatchId, tuple[str, ...]]:
        found = {match_id: await self.moves(match_id) for match_id in match_ids}
        return {match_id: tuple(move.text for move in moves) for match_id, moves in found.items() if moves}

    async def failure(self, match_id: MatchId) -> FailureRecord | None:
        return self.tables.failures.get(match_id)

    async def failures_of(self, bot_id: BotId, limit: int) -> tuple[LostByFailure, ...]:
        kept = [(failure, self.tables.matches[failure.match_id]) for failure in self.tables.failures.values()]
        kept.sort(key=lambda pair: pair[1].id, reverse=True)
        found = ((failure, match.seats[failure.seat]) for failure, match in kept)
        lost = (
            LostByFailure(match_id=failure.match_id, version=seat.version, text=failure.text)
            for failure, seat in found
            if seat.bot_id == bot_id
        )
        return tuple(islice(lost, limit))

    async def unfinished_matches(self) -> StoredMatches:
        return self._whole([match for match in self.tables.matches.values() if match.status == "running"])

    async def hosts_of_matches(self) -> dict[MatchId, int]:
        return {match.id: match.host for match in self.tables.matches.values() if match.status == "running"}

    async def whole_matches(self, match_ids: Sequence[MatchId]) -> StoredMatches:
        wanted = (self.tables.matches[match_id] for match_id in sorted(match_ids) if match_id in self.tables.matches)
        return self._whole([match for match in wanted if match.status == "running"])

    async def stored_matches(self, wanted: MatchFilter) -> StoredMatches:
        return self._whole(sorted(await self.list_matches(wanted), key=attrgetter("id")))

    def _whole(self, records: Sequence[MatchRecord]) -> StoredMatches:
        # of one moment, as in a database's transaction
        return without_damaged([stored_match(self.tables.with_plies(one), self._moves(one.id)) for one in records])

    async def list_matches(self, wanted: MatchFilter | None = None) -> tuple[MatchRecord, ...]:
        wanted = wanted or MatchFilter()
        stored = self.tables.matches.values()
        # a dictionary keeps the order of insertion, which is that of the ids
        ordered = reversed(stored) if wanted.after_id is None else iter(stored)
        found = islice((match for match in ordered if passes(match, wanted)), wanted.limit)
        return tuple(self.tables.with_plies(match) for match in found)

    async def results(self, *, after: int = 0, limit: int | None = None) -> tuple[GameResult, ...]:
        found = [
            game_result(number, self.tables.matches[result.match_id])
            for number, result in enumerate(self.tables.results, start=1)
            if number > after and result.ending != "aborted"
        ]
        return tuple(found[:limit])

    async def ending_counts(self, tournament_id: TournamentId) -> dict[str, int]:
        ended = (match for match in self.tables.matches.values() if match.tournament_id == tournament_id)
        return Counter(match.result.ending for match in ended if match.result)

    async def move_times(self, bot_id: BotId) -> tuple[MoveTimes, ...]:
        thought: dict[tuple[str, str], list[int]] = {}
        for match in self.tables.matches.values():
            for move in self.tables.moves[match.id].values() if match.result is not None else ():
                seat = match.seats[move.seat]
                if seat.bot_id == bot_id and not move.opening:
                    thought.setdefault((match.game, seat.version), []).append(move.think_us)
        return tuple(
            MoveTimes(game=game, version=version, moves=len(us), mean_us=sum(us) / len(us), max_us=max(us))
            for (game, version), us in sorted(thought.items())
        )

    async def games_of_bot(self, wanted: GameFilter) -> tuple[GameResult, ...]:
        games = [game for game in await self.results() if self._is_wanted(game, wanted)]
        games.sort(key=lambda game: game.match_id, reverse=not wanted.oldest_first)
        return tuple(games[: wanted.limit])

    def _is_wanted(self, game: GameResult, wanted: GameFilter) -> bool:
        one, other = (seat.bot_id for seat in self.tables.matches[game.match_id].seats)
        opponents = {one: other, other: one}
        return (
            wanted.bot_id in opponents
            and wanted.against in (None, opponents[wanted.bot_id])
            and wanted.game in (None, game.game)
            and (wanted.after is None or game.match_id > wanted.after)
            and (wanted.before is None or game.match_id < wanted.before)
        )

    async def game_openings(self, match_ids: Sequence[MatchId], plies: int) -> dict[MatchId, GameOpening]:
        texts = await self.move_lists(match_ids)
        return {
            match_id: GameOpening(
                start_text=self.tables.matches[match_id].start_text, moves=texts.get(match_id, ())[:plies]
            )
            for match_id in match_ids
            if match_id in self.tables.matches
        }

    async def think_times(self, match_ids: Sequence[MatchId]) -> dict[MatchId, tuple[ThinkTime, ...]]:
        found = {
            match_id: tuple(
                ThinkTime(ply=move.ply, seat=move.seat, think_us=move.think_us)
                for move in await self.moves(match_id)
                if not move.opening
            )
            for match_id in match_ids
        }
        return {match_id: times for match_id, times in found.items() if times}

    async def review(self, match_id: MatchId) -> ReviewRecord | None:
        return self.tables.reviews.get(match_id)

    async def hosts(self) -> tuple[HostRecord, ...]:
        return tuple(self.tables.hosts.values())

    # ---- programs

    async def programs(self, *bot_ids: BotId) -> tuple[ProgramRecord, ...]:
        return tuple(each for each in await self.all_programs() if each.bot_id in bot_ids)

    async def all_programs(self) -> tuple[ProgramRecord, ...]:
        return tuple(sorted(self.tables.programs.values(), key=lambda each: (each.bot_id, -each.number)))

    async def open_programs(self) -> tuple[ProgramRecord, ...]:
        return tuple(each for each in self.tables.programs.values() if each.in_use or each.state == "new")

    async def program_files(self, program_id: ProgramId) -> bytes | None:
        return self.tables.program_files.get(program_id)

    async def leases(self) -> tuple[Lease, ...]:
        opened = [each.id for each in await self.open_programs()]
        return tuple(self.tables.leases[each] for each in opened if each in self.tables.leases)

    async def wishes(self, bot_id: BotId | None = None) -> tuple[WishRecord, ...]:
        found = sorted(self.tables.wishes.values(), key=lambda each: each.id)
        return tuple(each for each in found if bot_id in (None, each.bot_id))

    # ---- bots

    async def session(self, secret_hash: str) -> SessionRecord | None:
        return self.tables.sessions.get(secret_hash)

    async def bot(self, bot_id: BotId) -> BotRecord | None:
        return self.tables.bots.get(bot_id)

    async def bot_by_name(self, name: str) -> BotRecord | None:
        return next((bot for bot in self.tables.bots.values() if folded(bot.name) == folded(name)), None)

    async def bot_by_token_hash(self, token_hash: str) -> BotRecord | None:
        return next((bot for bot in self.tables.bots.values() if bot.token_hash == token_hash), None)

    async def list_bots(
        self, *, guests: bool = True, after: int = 0, limit: int | None = None
    ) -> tuple[BotRecord, ...]:
        found = (bot for bot in self.tables.bots.values() if bot.id > after and (guests or not bot.guest))
        return tuple(islice(found, limit))

    # ---- tournaments and settings

    async def tournament(self, tournament_id: TournamentId) -> TournamentRecord | None:
        return self.tables.tournaments.get(tournament_id)

    async def list_tournaments(
        self, *, before: int | None = None, limit: int | None = None, statuses: Collection[TournamentStatus] = ()
    ) -> tuple[TournamentRecord, ...]:
        listed = (one for one in reversed(self.tables.tournaments.values()) if before is None or one.id < before)
        return tuple(islice((one for one in listed if not statuses or one.status in statuses), limit))

    async def ended_tournaments(self, limit: int) -> tuple[TournamentRecord, ...]:
        ended = [one for one in self.tables.tournaments.values() if one.status == "ended"]
        return tuple(sorted(ended, key=lambda one: (one.ended_at or 0, one.id), reverse=True)[:limit])

    async def tournament_matches(self, tournament_id: TournamentId) -> tuple[MatchRecord, ...]:
        matches = self.tables.matches.values()
        return tuple(self.tables.with_plies(match) for match in matches if match.tournament_id == tournament_id)

    async def setting(self, name: str) -> str | None:
        return self.tables.settings.get(name)

    async def audit(self, *, before: int | None = None, limit: int | None = None) -> tuple[AuditRecord, ...]:
        found = (one for one in reversed(self.tables.audit) if before is None or one.id < before)
        return tuple(islice(found, limit))

    # ---- operation

    async def schema_version(self) -> str:
        return "memory"

    async def check(self) -> list[str]:
        return [found.reason for found in (await self.unfinished_matches()).damaged]

    async def backup(self, path: Path) -> None:
        """Always raises: there is no file to copy."""
        raise StoreError(f"a store in memory cannot be copied to {path}")


def passes(match: MatchRecord, wanted: MatchFilter) -> bool:
    """True if the filter lets the match through."""
    return (
        wanted.game in (None, match.game)
        and wanted.tournament_id in (None, match.tournament_id)
        and wanted.status in (None, match.status)
        and (wanted.since is None or match.created_at >= wanted.since)
        and (wanted.before_id is None or match.id < wanted.before_id)
        and (wanted.after_id is None or match.id > wanted.after_id)
        and (wanted.bot is None or folded(wanted.bot) in {folded(seat.bot) for seat in match.seats})
    )


def game_result(number: int, match: MatchRecord) -> GameResult:
    """The ratings' view of an ended match."""
    assert match.result is not None
    first, second = match.seats
    return GameResult(
        number=number,
        match_id=match.id,
        key=match.key,
        game=match.game,
        bots=(first.bot, second.bot),
        versions=(first.version, second.version),
        time_control=match.time_control,
        rated=match.rated,
        winner=match.result.winner,
        ending=match.result.ending,
        tournament_id=match.tournament_id,
        pairing=match.pairing,
        game_index=match.game_index,
        ended_at=match.result.ended_at,
        options=as_json(match.options),
    )
