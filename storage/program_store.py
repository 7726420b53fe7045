"""The verbs of `Store` about programs that owners hand in: versions, leases of workers, games that are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, cast

from tabiya.storage.program_records import (
    Lease,
    LeaseKind,
    LeaseOutcome,
    NewProgram,
    NewWish,
    ProgramId,
    ProgramRecord,
    ProgramState,
    Usage,
    WishId,
    WishRecord,
)
from tabiya.storage.records import (
    BotId,
)
from tabiya.storage.writes import (
    AddProgram,
    AddWish,
    BeginWishedGame,
    EndLease,
    GrantLease,
    KeepExamination,
    ProlongLeases,
    RenewLeases,
    TakeBackWish,
    UseProgram,
    Write,
)


class ProgramStore(ABC):
    """A part of `Store`, which says what every verb may raise."""

    @abstractmethod
    async def _save(self, write: Write) -> Any:
        """Commit a write; the verb's value."""

    # ---- programs

    async def add_program(self, program: NewProgram) -> ProgramRecord:
        """Keep one more version of a bot's program, to be examined.

        The files of its newest version again, for the same game, are that version.  Raises WriteRefused.
        """
        return cast(ProgramRecord, await self._save(AddProgram(program)))

    async def keep_examination(self, program_id: ProgramId, state: ProgramState, report: str) -> None:
        """Keep how the examination of a program has ended.  Raises WriteRefused for an unknown program."""
        await self._save(KeepExamination(program_id, state, report))

    async def use_program(self, bot_id: BotId, program_id: ProgramId | None) -> None:
        """Let this version of a bot's program play from now on, or with None none of them.

        Its failures so far count no more.  Raises WriteRefused for a program that is not the bot's.
        """
        await self._save(UseProgram(bot_id, program_id))

    @abstractmethod
    async def programs(self, *bot_ids: BotId) -> tuple[ProgramRecord, ...]:
        """The versions of these bots' programs, bot by bot, the newest first."""

    @abstractmethod
    async def open_programs(self) -> tuple[ProgramRecord, ...]:
        """The versions of all bots that play or wait to be examined, the oldest first."""

    @abstractmethod
    async def all_programs(self) -> tuple[ProgramRecord, ...]:
        """The versions of all bots, bot by bot, the newest first."""

    @abstractmethod
    async def program_files(self, program_id: ProgramId) -> bytes | None:
        """The files of a version, as a zip; None if there is no such version."""

    # ---- leases

    async def grant_lease(
        self,
        wanted: Sequence[tuple[ProgramId, LeaseKind]],
        worker: str,
        token_hash: str,
        *,
        now: float,
        expires_at: float,
    ) -> Lease | None:
        """Leave for a worker to run the first of these programs that is free and waits for just that; None if none is.

        Free is what has no lease, or one that has been ended or has run out.  To be examined waits a new program, to
        play one that is good and in use.  A lease whose answer is lost is nobody's, and runs out.
        """
        return cast("Lease | None", await self._save(GrantLease(tuple(wanted), worker, token_hash, now, expires_at)))

    async def renew_leases(
        self, held: Sequence[tuple[ProgramId, int]], *, now: float, expires_at: float
    ) -> frozenset[ProgramId]:
        """Give leases more time, each by its program and fence; the programs of those that are still open."""
        return cast("frozenset[ProgramId]", await self._save(RenewLeases(tuple(held), now, expires_at)))

    async def prolong_leases(self, expires_at: float) -> None:
        """Extend all open leases to that time at least, because they could not be renewed meanwhile."""
        await self._save(ProlongLeases(expires_at))

    async def end_lease(
        self,
        program_id: ProgramId,
        fence: int,
        outcome: LeaseOutcome,
        text: str,
        *,
        now: float,
        used: Usage | None = None,
    ) -> bool:
        """End a lease and store its result, in one transaction; False, and nothing is changed, if it is not open.

        good, refused: the text is the report of the examination, and what is good plays from now on.  failed: one
        failure more, and the text its last words.  played: its failures so far count no more.  used: by the run that
        ends, added to what the version has used; None where it was not measured.
        """
        return cast(bool, await self._save(EndLease(program_id, fence, now, outcome, text, used)))

    @abstractmethod
    async def leases(self) -> tuple[Lease, ...]:
        """The last lease of each program that plays or waits to be examined, the oldest program first."""

    # ---- games that owners ask for

    async def add_wish(self, wish: NewWish, *, forget_before: float) -> WishRecord:
        """Keep games that an owner asks for, all of them still to begin.  Raises WriteRefused for an unknown bot.

        forget_before: wishes of all bots that were asked before, and of which no game waits, are forgotten.
        """
        return cast(WishRecord, await self._save(AddWish(wish, forget_before)))

    async def begin_wished_game(self, wish_id: WishId) -> WishRecord | None:
        """Take one game off a request for games. Returns the request as it is then, None if there is none."""
        return cast("WishRecord | None", await self._save(BeginWishedGame(wish_id)))

    async def take_back_wish(self, wish_id: WishId) -> WishRecord | None:
        """The games of a wish that wait were never asked for; the wish as it is then, None if nothing is left of it."""
        return cast("WishRecord | None", await self._save(TakeBackWish(wish_id)))

    @abstractmethod
    async def wishes(self, bot_id: BotId | None = None) -> tuple[WishRecord, ...]:
        """The wishes of one bot or of all, oldest first, also those without waiting games."""
