"""The tables of programs that owners hand in: their versions, their leases, and the games that are asked for."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.storage.derived import (
    after_lease,
    after_run,
    new_lease,
    program_record,
    purpose_of,
    wish_record,
    with_game_begun,
    without_waiting,
)
from tabiya.storage.errors import unknown_bot, unknown_program
from tabiya.storage.program_records import (
    Lease,
    NewProgram,
    ProgramId,
    ProgramRecord,
    ProgramState,
    WishId,
    WishRecord,
)
from tabiya.storage.records import BotId, BotRecord
from tabiya.storage.writes import (
    AddProgram,
    AddWish,
    BeginWishedGame,
    EndLease,
    GrantLease,
    KeepExamination,
    LeaseWrite,
    ProgramWrite,
    ProlongLeases,
    RenewLeases,
    UseProgram,
    WishWrite,
)


class ProgramTables:
    """The committed rows about programs, and the bots that they are of."""

    def __init__(self) -> None:
        self.bots: dict[BotId, BotRecord] = {}
        self.programs: dict[ProgramId, ProgramRecord] = {}
        self.program_files: dict[ProgramId, bytes] = {}
        self.leases: dict[ProgramId, Lease] = {}
        self.wishes: dict[WishId, WishRecord] = {}
        self._last_wish = 0

    # ---- programs

    def apply_to_programs(self, write: ProgramWrite) -> ProgramRecord | None:
        """Carry out a write about programs, or raise WriteRefused."""
        match write:
            case AddProgram(program):
                return self._add_program(program)
            case KeepExamination(program_id, state, report):
                self._keep_examination(program_id, state, report)
            case UseProgram(bot_id, used):
                self._use_program(bot_id, used)
        return None

    def _add_program(self, new: NewProgram) -> ProgramRecord:
        if new.bot_id not in self.bots:
            raise unknown_bot(new.bot_id)
        versions = [each for each in self.programs.values() if each.bot_id == new.bot_id]
        if versions and (versions[-1].digest, versions[-1].game) == (new.digest, new.game):
            return versions[-1]
        program = program_record(ProgramId(len(self.programs) + 1), len(versions) + 1, new)
        self.programs[program.id], self.program_files[program.id] = program, new.archive
        return program

    def _keep_examination(self, program_id: ProgramId, state: ProgramState, report: str) -> None:
        if program_id not in self.programs:
            raise unknown_program(program_id)
        self.programs[program_id] = replace(self.programs[program_id], state=state, report=report)

    def _use_program(self, bot_id: BotId, program_id: ProgramId | None) -> None:
        own = [each for each in self.programs.values() if each.bot_id == bot_id]
        if program_id is not None and program_id not in {each.id for each in own}:
            raise unknown_program(program_id)
        for each in own:
            self.programs[each.id] = replace(each, in_use=each.id == program_id)
        if program_id in self.leases:
            self.leases[program_id] = replace(self.leases[program_id], failures=0)

    # ---- leases

    def apply_to_leases(self, write: LeaseWrite) -> Lease | frozenset[ProgramId] | bool | None:
        """Carry out a write about leases; the verb's value."""
        match write:
            case GrantLease():
                return self._grant_lease(write)
            case RenewLeases(held, now, expires_at):
                still = [program_id for program_id, fence in held if self._open_lease(program_id, fence, now)]
                for program_id in still:
                    self.leases[program_id] = replace(self.leases[program_id], expires_at=expires_at)
                return frozenset(still)
            case ProlongLeases(expires_at):
                for lease in self.leases.values():
                    if lease.ended_at is None and lease.expires_at < expires_at:
                        self.leases[lease.program_id] = replace(lease, expires_at=expires_at)
            case EndLease():
                return self._end_lease(write)
        return None

    def _grant_lease(self, write: GrantLease) -> Lease | None:
        for program_id, kind in write.wanted:
            program, last = self.programs.get(program_id), self.leases.get(program_id)
            if program is not None and purpose_of(program) == kind and not (last and last.is_open(write.now)):
                self.leases[program_id] = new_lease(write, program_id, kind, last)
                return self.leases[program_id]
        return None

    def _open_lease(self, program_id: ProgramId, fence: int, now: float) -> Lease | None:
        lease = self.leases.get(program_id)
        return lease if lease is not None and lease.fence == fence and lease.is_open(now) else None

    def _end_lease(self, write: EndLease) -> bool:
        lease = self._open_lease(write.program_id, write.fence, write.now)
        if lease is None:
            return False
        self.leases[write.program_id] = after_lease(lease, write)
        if write.used is not None:
            program = self.programs[write.program_id]
            self.programs[program.id] = after_run(program, lease.kind, write.used)
        if write.outcome in ("good", "refused"):
            self._keep_examination(write.program_id, write.outcome, write.text)
            if write.outcome == "good":
                self._use_program(self.programs[write.program_id].bot_id, write.program_id)
        return True

    # ---- wishes

    def apply_to_wishes(self, write: WishWrite) -> WishRecord | None:
        """Carry out a write about wishes, or raise WriteRefused."""
        if isinstance(write, AddWish):
            return self._add_wish(write)
        wish = self.wishes.pop(write.wish_id, None)
        changed = wish and (with_game_begun(wish) if isinstance(write, BeginWishedGame) else without_waiting(wish))
        if changed is not None:
            self.wishes[changed.id] = changed
        return changed

    def _add_wish(self, write: AddWish) -> WishRecord:
        for bot_id in (write.wish.bot_id, write.wish.opponent_id):
            if bot_id not in self.bots:
                raise unknown_bot(bot_id)
        for old in tuple(self.wishes.values()):
            if old.waiting == 0 and old.asked_at < write.forget_before:
                del self.wishes[old.id]
        self._last_wish += 1
        wish = wish_record(WishId(self._last_wish), write.wish)
        self.wishes[wish.id] = wish
        return wish
