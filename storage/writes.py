"""Every write of the store, as a value that the write methods give to the single writer.

`group` is what a failure is confined to: writes of one group keep order, and after one fails the later ones of
the same batch and group fail too.
"""

from __future__ import annotations

from msgspec import Struct

from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.program_records import (
    LeaseKind,
    LeaseOutcome,
    NewProgram,
    NewWish,
    ProgramId,
    ProgramState,
    Usage,
    WishId,
)
from tabiya.storage.records import (
    BotId,
    FailureRecord,
    MatchId,
    MoveRecord,
    NewMatch,
    NewTournament,
    ResultRecord,
    Role,
    SessionRecord,
    TournamentStep,
)


# gc=False on the two writes of the hot path: they hold nothing that could be part of a cycle
class AppendMove(Struct, frozen=True, gc=False):
    """One more ply of a running match."""

    move: MoveRecord

    @property
    def group(self) -> object:
        return self.move.match_id


class FinishMatch(Struct, frozen=True, gc=False):
    """The result, and the last move or the failure of a program if that brought it, in one transaction.

    goes_on: the match in which its two play on, if a move was taken back; begun by the same transaction.
    """

    result: ResultRecord
    move: MoveRecord | None = None
    failure: FailureRecord | None = None
    goes_on: NewMatch | None = None

    @property
    def group(self) -> object:
        return self.result.match_id


class FreezeMatch(Struct, frozen=True):
    """Stop a match for an operator to look at."""

    match_id: MatchId
    reason: str

    @property
    def group(self) -> object:
        return self.match_id


class CreateMatch(Struct, frozen=True):
    """A new match with its opening plies."""

    match: NewMatch

    @property
    def group(self) -> object:
        return self.match.key


class CreateBot(Struct, frozen=True):
    """A new player."""

    name: str
    token_hash: str | None
    role: Role
    guest: bool
    created_at: float

    @property
    def group(self) -> object:
        return id(self)  # its own group: a taken name must not fail the next request


class RotateToken(Struct, frozen=True):
    """Another token for a known bot, whose sessions end; None shuts it out."""

    bot_id: BotId
    token_hash: str | None

    @property
    def group(self) -> object:
        return ("bot", self.bot_id)


class SetRole(Struct, frozen=True):
    """Another role for a known bot."""

    bot_id: BotId
    role: Role

    @property
    def group(self) -> object:
        return ("bot", self.bot_id)


class OpenSession(Struct, frozen=True):
    """Store a new session; expired sessions are removed."""

    session: SessionRecord

    @property
    def group(self) -> object:
        return ("session", self.session.secret_hash)


class CloseSession(Struct, frozen=True):
    """Remove a session at sign-out."""

    secret_hash: str

    @property
    def group(self) -> object:
        return ("session", self.secret_hash)


class AddProgram(Struct, frozen=True):
    """One more version of a bot's program; the same files again right after are the same version."""

    program: NewProgram

    @property
    def group(self) -> object:
        return ("bot", self.program.bot_id)


class KeepExamination(Struct, frozen=True):
    """How the examination of a program has ended."""

    program_id: ProgramId
    state: ProgramState
    report: str

    @property
    def group(self) -> object:
        return ("program", self.program_id)


class UseProgram(Struct, frozen=True):
    """The version of a bot's program that plays from now on; None: none of them."""

    bot_id: BotId
    program_id: ProgramId | None

    @property
    def group(self) -> object:
        return ("bot", self.bot_id)


class GrantLease(Struct, frozen=True):
    """Leave for a worker to run the first of these programs that nobody runs and that still waits for just that."""

    wanted: tuple[tuple[ProgramId, LeaseKind], ...]
    worker: str
    token_hash: str
    now: float
    expires_at: float

    @property
    def group(self) -> object:
        return id(self)  # itself: nothing else can refer to it yet


class RenewLeases(Struct, frozen=True):
    """More time for leases that are still open: each by its program and fence."""

    held: tuple[tuple[ProgramId, int], ...]
    now: float
    expires_at: float

    @property
    def group(self) -> object:
        return id(self)  # its own group: earlier writes do not change whether it comes too late


class ProlongLeases(Struct, frozen=True):
    """Extend all open leases, because they could not be renewed meanwhile."""

    expires_at: float

    @property
    def group(self) -> object:
        return id(self)


class EndLease(Struct, frozen=True):
    """The end of a lease with all that follows from its outcome, if it is still open. used: None if not measured."""

    program_id: ProgramId
    fence: int
    now: float
    outcome: LeaseOutcome
    text: str
    used: Usage | None = None

    @property
    def group(self) -> object:
        return ("program", self.program_id)


class AddWish(Struct, frozen=True):
    """Games that an owner asks for; wishes that were asked before `forget_before` and wait for nothing go."""

    wish: NewWish
    forget_before: float

    @property
    def group(self) -> object:
        return id(self)  # itself: that one cannot be kept is no fault of the next


class BeginWishedGame(Struct, frozen=True):
    """Take one game off a request for games."""

    wish_id: WishId

    @property
    def group(self) -> object:
        return ("wish", self.wish_id)


class TakeBackWish(Struct, frozen=True):
    """What waits of a wish was never asked for."""

    wish_id: WishId

    @property
    def group(self) -> object:
        return ("wish", self.wish_id)


class CreateTournament(Struct, frozen=True):
    """A new tournament with its entries."""

    tournament: NewTournament

    @property
    def group(self) -> object:
        return id(self)  # itself: nothing else can refer to it yet


class SaveStep(Struct, frozen=True):
    """A tournament's next step with the matches it starts."""

    step: TournamentStep

    @property
    def group(self) -> object:
        return ("tournament", self.step.tournament_id)


class PutSetting(Struct, frozen=True):
    """A value under a name, in place of the one that is there."""

    name: str
    value: str

    @property
    def group(self) -> object:
        return ("setting", self.name)


class AppendAudit(Struct, frozen=True):
    """An order that an operator has given."""

    record: AuditRecord

    @property
    def group(self) -> object:
        return id(self)  # itself: that one cannot be kept is no fault of the next


class RegisterHost(Struct, frozen=True):
    """Register one more host under a new number."""

    name: str
    began_at: float

    @property
    def group(self) -> object:
        return id(self)  # itself: nothing else can refer to it yet


class MoveMatches(Struct, frozen=True):
    """The end of a host, and its matches that have not ended to others: each to `to[id % len(to)]`."""

    host: int
    to: tuple[int, ...]
    ended_at: float

    @property
    def group(self) -> object:
        return ("host", self.host)


class KeepReview(Struct, frozen=True):
    """Store the judged moves of a match; replaces earlier ones."""

    match_id: MatchId
    judged_by: str
    judged: str

    @property
    def group(self) -> object:
        return ("review", self.match_id)


MatchWrite = AppendMove | FinishMatch | FreezeMatch
BotWrite = CreateBot | RotateToken | SetRole | OpenSession | CloseSession
ProgramWrite = AddProgram | KeepExamination | UseProgram
LeaseWrite = GrantLease | RenewLeases | ProlongLeases | EndLease
WishWrite = AddWish | BeginWishedGame | TakeBackWish
HostWrite = RegisterHost | MoveMatches
RareWrite = CreateTournament | SaveStep | PutSetting | KeepReview | AppendAudit
Write = MatchWrite | CreateMatch | BotWrite | ProgramWrite | LeaseWrite | WishWrite | HostWrite | RareWrite
