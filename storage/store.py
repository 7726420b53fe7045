"""`Store`: every read and write that the rest of Tabiya can ask of storage.  Verbs, not tables.

Every writing verb returns when its transaction is committed.  Every verb may raise `StoreError`; a writing one
in particular

* `SaveFailed`     the database did not take it (full, locked, gone): the same write may be tried again;
* `WriteConflict`  a different row is stored under the same key: our bug;
* `WriteRefused`   the row breaks a rule of the tables: our bug;
* `StoreClosed`    after `close`;
* `HostEnded`      in the store of a host, when the server has ended that: `given_up` says so, too.

Writing an equal row again is no error: that is how a lost answer is survived.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.errors import StoreError
from tabiya.storage.group_commit import Done, GroupCommit, PendingWrite, WriteBatch
from tabiya.storage.program_records import (
    LostByFailure,
)
from tabiya.storage.program_store import ProgramStore
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
    NewMatch,
    NewTournament,
    ResultRecord,
    ReviewRecord,
    Role,
    SessionRecord,
    StoredMatches,
    ThinkTime,
    TournamentId,
    TournamentRecord,
    TournamentStatus,
    TournamentStep,
)
from tabiya.storage.writes import (
    AppendAudit,
    AppendMove,
    CloseSession,
    CreateBot,
    CreateMatch,
    CreateTournament,
    FinishMatch,
    FreezeMatch,
    KeepReview,
    MatchWrite,
    MoveMatches,
    OpenSession,
    PutSetting,
    RegisterHost,
    RotateToken,
    SaveStep,
    SetRole,
    Write,
)

Durability = Literal["process", "power"]
"""What must survive: the death of any process, or power loss too (every commit then waits for the disk)."""


class Store(ProgramStore):
    """The stored data of one server.  All methods are called on the event loop that opened it.

    Writing is done here, through the one `writer`; each store reads in its own way.
    """

    def __init__(self, write_batch: WriteBatch) -> None:
        loop = asyncio.get_running_loop()
        self.writer = GroupCommit(loop, write_batch)
        self.given_up: asyncio.Future[str] = loop.create_future()
        """Why nothing is saved any more, as when another server owns the database: a sentence."""
        self.read_errors = 0
        """Questions that the database did not answer."""

    # ---- matches: the hot path

    def submit(self, write: MatchWrite, done: Done) -> None:
        """Save without a task: `done` is called on the event loop, after this has returned, in the order of submission.

        Writes gather while the last transaction commits and then go together in one.  Raises only `StoreClosed`.
        """
        self.writer.submit(PendingWrite(write, done))

    async def append_move(self, move: MoveRecord) -> None:
        """Save one ply of a match."""
        await self._save(AppendMove(move))

    async def finish_match(
        self,
        result: ResultRecord,
        move: MoveRecord | None = None,
        failure: FailureRecord | None = None,
        goes_on: NewMatch | None = None,
    ) -> None:
        """Save the result, with the last move or the failure that brought it, in one transaction.

        Abort: ending "aborted".  goes_on: a match to be created by the same transaction; `create_match` tells its id.
        """
        await self._save(FinishMatch(result, move, failure, goes_on))

    async def freeze_match(self, match_id: MatchId, reason: str) -> None:
        """Mark a running match as stopped by our own fault; an ended match stays ended."""
        await self._save(FreezeMatch(match_id, reason))

    async def create_match(self, match: NewMatch) -> MatchId:
        """Save a new match with its opening plies (plies 0, 1, ..); the id.  The same key again: the same id."""
        return cast(MatchId, await self._save(CreateMatch(match)))

    async def _save(self, write: Write) -> Any:
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def done(error: StoreError | None) -> None:
            if answer.done():  # the caller was cancelled; the write is not
                return
            if error is None:
                answer.set_result(None)
            else:
                answer.set_exception(error)

        # `done` does not know it: two that know each other are left to the garbage collector, thousands at once
        pending = PendingWrite(write, done)
        self.writer.submit(pending)
        await answer
        return pending.value

    # ---- matches: reading

    @abstractmethod
    async def unfinished_matches(self) -> StoredMatches:
        """Running matches with their moves, by id, and those too damaged to go on with."""

    @abstractmethod
    async def hosts_of_matches(self) -> dict[MatchId, int]:
        """All running matches, each with the number of the host that plays it; 0: the server."""

    @abstractmethod
    async def whole_matches(self, match_ids: Sequence[MatchId]) -> StoredMatches:
        """Those of these matches that are running, with all their moves."""

    @abstractmethod
    async def stored_matches(self, wanted: MatchFilter) -> StoredMatches:
        """The matches that `list_matches` finds, by id, with all their moves."""

    @abstractmethod
    async def match(self, match_id: MatchId) -> MatchRecord | None:
        """The match, or None if there is none."""

    @abstractmethod
    async def moves(self, match_id: MatchId, first: int = 0) -> tuple[MoveRecord, ...]:
        """The moves of a match from ply `first` on; empty if there is none.  Raises `DamagedRows` where one is."""

    @abstractmethod
    async def move_lists(self, match_ids: Sequence[MatchId]) -> dict[MatchId, tuple[str, ...]]:
        """The moves of several matches (at most 500) as texts by ply; a match without moves is left out."""

    @abstractmethod
    async def failure(self, match_id: MatchId) -> FailureRecord | None:
        """The error by which a player's program failed, None if none is kept; for its owner and the operator only."""

    @abstractmethod
    async def failures_of(self, bot_id: BotId, limit: int) -> tuple[LostByFailure, ...]:
        """The last matches that a bot has lost because its program failed, the newest first."""

    @abstractmethod
    async def list_matches(self, wanted: MatchFilter | None = None) -> tuple[MatchRecord, ...]:
        """Matches that pass the filter (None: the newest of all), newest first; oldest first after an `after_id`."""

    @abstractmethod
    async def results(self, *, after: int = 0, limit: int | None = None) -> tuple[GameResult, ...]:
        """Finished games of all kinds in the order their results were stored, aborted ones left out.

        after: only results with a higher number.  Large databases are best read in pages of some thousands.
        """

    @abstractmethod
    async def ending_counts(self, tournament_id: TournamentId) -> dict[str, int]:
        """How many matches of a tournament ended how: ending -> count, aborted ones included."""

    @abstractmethod
    async def move_times(self, bot_id: BotId) -> tuple[MoveTimes, ...]:
        """How long a bot has thought, by game and version, in all its matches that have ended; empty without a move."""

    @abstractmethod
    async def games_of_bot(self, wanted: GameFilter) -> tuple[GameResult, ...]:
        """Ended games of one bot, at most the wanted number."""

    @abstractmethod
    async def game_openings(self, match_ids: Sequence[MatchId], plies: int) -> dict[MatchId, GameOpening]:
        """How several matches (at most 500) began, with at most this many moves; unknown matches are left out."""

    @abstractmethod
    async def think_times(self, match_ids: Sequence[MatchId]) -> dict[MatchId, tuple[ThinkTime, ...]]:
        """How long each move of several matches (at most 500) took, by ply, openings left out."""

    # ---- reviews

    async def keep_review(self, match_id: MatchId, judged_by: str, judged: str) -> None:
        """Keep the judged moves of a match in place of those that are there: one review a match, so that they are few.

        judged_by: all that the judgement depends on.  judged: a text of the caller's.  Raises `WriteRefused` for an
        unknown match.
        """
        await self._save(KeepReview(match_id, judged_by, judged))

    @abstractmethod
    async def review(self, match_id: MatchId) -> ReviewRecord | None:
        """The judged moves that are kept of a match, None if there are none."""

    # ---- hosts

    async def register_host(self, name: str, began_at: float) -> int:
        """Let one more host play matches of this database; its number, from 1 on, which no other ever gets.

        The store of that host is opened by its number.  A number whose answer is lost is nobody's.
        """
        return cast(int, await self._save(RegisterHost(name, began_at)))

    async def move_matches(self, host: int, to: tuple[int, ...], ended_at: float) -> None:
        """End a host, and give each of its matches that have not ended to `to[id % len(to)]`, in one transaction.

        What the host is just committing is waited for and is moved with the rest; all that comes later is refused.
        Again: nothing is changed.  host: 0 for the server's own matches, which is not ended.  Raises `WriteRefused` if
        `to` is empty.
        """
        await self._save(MoveMatches(host, to, ended_at))

    @abstractmethod
    async def hosts(self) -> tuple[HostRecord, ...]:
        """All hosts that there have been, the newest last."""

    # ---- bots

    async def create_bot(
        self, name: str, *, token_hash: str | None = None, role: Role = "bot", guest: bool = False, created_at: float
    ) -> BotRecord:
        """Save a new bot.  Raises `NameTaken`; names differ in more than upper and lower case."""
        return cast(BotRecord, await self._save(CreateBot(name, token_hash, role, guest, created_at)))

    async def rotate_token(self, bot_id: BotId, token_hash: str | None) -> None:
        """Replace a bot's token; None shuts the bot out, and a guest that gets one is a guest no longer.

        Its sessions end. Raises `WriteRefused` for an unknown bot.
        """
        await self._save(RotateToken(bot_id, token_hash))

    async def set_role(self, bot_id: BotId, role: Role) -> None:
        """Let a bot's owner give orders, or no longer.  Raises `WriteRefused` for an unknown bot."""
        await self._save(SetRole(bot_id, role))

    @abstractmethod
    async def bot(self, bot_id: BotId) -> BotRecord | None:
        """The bot, or None."""

    @abstractmethod
    async def bot_by_name(self, name: str) -> BotRecord | None:
        """The bot of this name (upper and lower case count as one), or None."""

    @abstractmethod
    async def bot_by_token_hash(self, token_hash: str) -> BotRecord | None:
        """The bot whose token has this hash, or None."""

    @abstractmethod
    async def list_bots(
        self, *, guests: bool = True, after: int = 0, limit: int | None = None
    ) -> tuple[BotRecord, ...]:
        """Bots by id. after: only higher ids. limit: at most this many."""

    # ---- tournaments

    async def create_tournament(self, tournament: NewTournament) -> TournamentId:
        """Save a new tournament with its entries; the id."""
        return cast(TournamentId, await self._save(CreateTournament(tournament)))

    async def save_tournament_step(self, step: TournamentStep) -> tuple[MatchId, ...]:
        """Save state, changed entries and new matches in one transaction; the ids of `step.matches` in order.

        `WriteConflict` unless `step.step` is the stored one plus one, or an equal repetition of the stored one.
        """
        return cast("tuple[MatchId, ...]", await self._save(SaveStep(step)))

    @abstractmethod
    async def tournament(self, tournament_id: TournamentId) -> TournamentRecord | None:
        """The tournament with its entries, or None."""

    @abstractmethod
    async def list_tournaments(
        self, *, before: int | None = None, limit: int | None = None, statuses: Collection[TournamentStatus] = ()
    ) -> tuple[TournamentRecord, ...]:
        """Tournaments, newest first. before: only lower ids. limit: at most this many. statuses: only of these."""

    @abstractmethod
    async def ended_tournaments(self, limit: int) -> tuple[TournamentRecord, ...]:
        """The tournaments that ended last, latest first, at most this many."""

    @abstractmethod
    async def tournament_matches(self, tournament_id: TournamentId) -> tuple[MatchRecord, ...]:
        """All matches of a tournament by id."""

    # ---- sessions

    async def open_session(self, session: SessionRecord) -> None:
        """Keep a session. Sessions that have expired when this one begins are deleted.

        Raises WriteRefused for an unknown bot, and for a secret that another session has.
        """
        await self._save(OpenSession(session))

    async def close_session(self, secret_hash: str) -> None:
        """Forget a session, if there is one."""
        await self._save(CloseSession(secret_hash))

    @abstractmethod
    async def session(self, secret_hash: str) -> SessionRecord | None:
        """The session of this secret, whether or not it has run out."""

    # ---- settings and secrets

    @abstractmethod
    async def setting(self, name: str) -> str | None:
        """The value, or None."""

    async def put_setting(self, name: str, value: str) -> None:
        await self._save(PutSetting(name, value))

    # ---- the orders of operators

    async def append_audit(self, record: AuditRecord) -> None:
        """Keep an order with the next number; the one verb for which an equal row again is one more."""
        await self._save(AppendAudit(record))

    @abstractmethod
    async def audit(self, *, before: int | None = None, limit: int | None = None) -> tuple[AuditRecord, ...]:
        """Orders, newest first. before: only lower numbers. limit: at most this many."""

    # ---- operation

    @property
    @abstractmethod
    def address(self) -> str:
        """Where the data are, for people and logs; without a password."""

    @property
    def waiting(self) -> int:
        """Writes submitted and not yet answered."""
        return self.writer.waiting

    @abstractmethod
    async def schema_version(self) -> str:
        """The revision of the tables."""

    @abstractmethod
    async def check(self) -> Sequence[str]:
        """Faults found in the stored data, one sentence each; empty if all is well."""

    @abstractmethod
    async def backup(self, path: Path) -> None:
        """Write a consistent copy while the server runs.  Raises `StoreError` if the path exists."""

    async def close(self) -> None:
        """Commit what was submitted, then let go of the database.  Closing twice is no error."""
        await self.writer.close()
