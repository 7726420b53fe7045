"""The state of a match, as frozen values. Its position is always the committed one, which is public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from tabiya.protocol.time_control import TimeControl
from tabiya.server.core.adjudication import NO_STREAKS, Adjudication, Streaks, counted, score_of
from tabiya.server.core.clock import NS_PER_US, shown_us
from tabiya.server.core.effects import Effect, SaveMove, SaveResult
from tabiya.server.core.policy import DEFAULT_POLICY, MatchPolicy
from tabiya.storage.records import MatchId, ResultRecord

if TYPE_CHECKING:
    from tabiya.games.rules import Outcome
    from tabiya.server.core.events import Event


class MatchPosition(Protocol):
    """The position's interface to the core, which `tabiya.games.position.Position` has."""

    @property
    def to_move(self) -> int:
        """The seat to move."""

    @property
    def ply(self) -> int:
        """Plies played, the opening's included."""

    @property
    def moves(self) -> Sequence[str]:
        """All moves so far, the opening's included."""

    @property
    def start_text(self) -> str:
        """The position before the first move."""

    def movers(self) -> Sequence[int]:
        """The seats that made them."""

    def play(self, text: str) -> MatchPosition:
        """The position after a move. Raises MoveFormatError or IllegalMove."""

    def play_all(self, texts: Sequence[str], seats: Sequence[int]) -> MatchPosition | None:
        """The same after many moves; None if `play` has more to say of one of them."""

    def outcome(self) -> Outcome | None:
        """How the game has ended by the rules."""

    def can_win(self, seat: int) -> bool:
        """Whether `seat` could still win."""

    def text(self) -> str:
        """The position in the game's notation."""

    def legal_moves(self) -> tuple[str, ...]:
        """The legal moves in the game's notation."""

    def history(self) -> tuple[str, tuple[str, ...]]:
        """Position after the last irreversible move, and the moves since."""


class Rules(Protocol):
    """The game's interface to the core, which `tabiya.games.contract.Game` has."""

    @property
    def name(self) -> str:
        """The registry's name."""

    @property
    def rules_version(self) -> int:
        """Rises when the same moves can end differently."""

    @property
    def seat_names(self) -> tuple[str, str]:
        """The game's words for its seats."""

    @property
    def draws_possible(self) -> bool:
        """Whether a match can be drawn."""

    @property
    def max_plies(self) -> int:
        """Plies in one match, at most."""

    @property
    def endings(self) -> Sequence[str]:
        """The ways in which its rules end a match."""

    def parse(self, text: str) -> MatchPosition:
        """The position that a text describes. Raises PositionError."""


class Terms(Struct, frozen=True, kw_only=True):
    """The terms of a match, fixed before the first move.

    players: names of the bots, by seat.  seat_names: the game's words for its seats.  controls: by seat, with a clock
    for both or for none.
    opening_plies: moves played for both before the bots took over.
    max_plies: the match is a draw when so many are played.  epoch_ns: wall-clock time (since 1970) at the zero of the
    monotonic clock, so that rows can say when something happened.
    adjudication: when the server ends the match by itself, None for never.  repetition_possible: a position can come
    again, until a move that cannot be taken back.  take_backs: whether players may take moves back.
    """

    match_id: MatchId
    game: str
    players: tuple[str, str]
    seat_names: tuple[str, str]
    draws_possible: bool
    max_plies: int
    controls: tuple[TimeControl, TimeControl]
    illegal_limit: int
    stall_us: int
    opening_plies: int
    epoch_ns: int
    policy: MatchPolicy = DEFAULT_POLICY
    adjudication: Adjudication | None = None
    repetition_possible: bool = False
    take_backs: bool = False

    def who(self, seat: int) -> str:
        """A player as sentences name it: `ada (White)`."""
        return f"{self.players[seat]} ({self.seat_names[seat]})"

    @property
    def timed(self) -> bool:
        """Whether clocks run at all."""
        return self.controls[0].timed

    def wall_s(self, now_ns: int) -> float:
        """Seconds since 1970 at this monotonic time."""
        return (self.epoch_ns + now_ns) / 1e9


# gc=False here and below: a frozen value points only to values that were there before it, so none is part of a
# reference cycle, and the garbage collector need not track them.
class TimeAccount(Struct, frozen=True, gc=False):
    """The time account of a move, in microseconds; charged: think_us - credit_us.

    server_us: from the arrival of the move before to the handing out of this turn (the save, the loop's lag, after a
    restart what it took), and standstills since; never charged.
    network_us: shortest measured round trip.  think_us: the rest, to the arrival.  credit_us: given back.
    """

    server_us: int
    network_us: int
    think_us: int
    credit_us: int


class SeatState(Struct, frozen=True, gc=False):
    """What a player has; all of it can be read from the saved rows."""

    remaining_us: int
    quota_us: int
    moves_made: int = 0
    illegal: int = 0
    account: TimeAccount | None = None


class Presence(Struct, frozen=True, gc=False):
    """Whether a player is there; not saved, since it ends with the process.

    away_since_ns: None while connected, or before the match has been opened.  network_us: shortest round trip.
    """

    connected: bool = False
    away_since_ns: int | None = None
    network_us: int = 0


AWAY = Presence()


class AwaitingPlayers(Struct, frozen=True, gc=False):
    """Not yet begun, or restored and not yet going on.

    deadline_ns: until when players are waited for; None before MatchOpened.  restored: it had begun before.
    forgiven_us: thinking on the pending turn that a restart wiped out.
    """

    deadline_ns: int | None = None
    restored: bool = False
    forgiven_us: int = 0


class AwaitingMove(Struct, frozen=True, gc=False):
    """The seat to move is thinking and its clock runs.

    handed_out_ns: when its turn was handed out.  started_ns: the same and the standstills since then: thinking is
    counted from there.  deadline_ns: last instant at which a move is in time, credit included.
    credit_us: most lag credit this move can get.  network_us: what it was measured from.
    server_us: our share, before the turn was handed out and since.
    sent: the handing out is final, TurnSent no longer moves it.  forgiven_us: thinking wiped out by a restart.
    """

    handed_out_ns: int
    started_ns: int
    deadline_ns: int
    credit_us: int
    network_us: int
    server_us: int
    sent: bool
    forgiven_us: int = 0


class Saving(Struct, frozen=True, gc=False):
    """A save is under way: no clock runs, and what happens meanwhile waits.

    after: what the match is once that is saved; only its stage and presence are still open.
    waiting: events in their order.  failures: attempts that failed so far.
    """

    save: SaveMove | SaveResult
    after: Match
    waiting: tuple[Event, ...] = ()
    failures: int = 0


class Ended(Struct, frozen=True, gc=False):
    """The result is saved and told."""

    result: ResultRecord


class Frozen(Struct, frozen=True, gc=False):
    """Stopped by our own error, until an operator ends it."""

    reason: str


Stage = AwaitingPlayers | AwaitingMove | Saving | Ended | Frozen


class Match(Struct, frozen=True, gc=False):
    """One match.

    offer: the seat whose draw offer stands; offer_announced: the other seat knows of it.
    arrived_ns: when the last move arrived, None before the first.
    info: what the last mover said of its thinking.  streaks: what adjudication counts.
    take_back: the seat that asks to take its last move back.  plies_kept: of a match that ends for that: with how many
    moves the next one begins.
    """

    terms: Terms
    position: MatchPosition
    seats: tuple[SeatState, SeatState]
    stage: Stage = AwaitingPlayers()
    presence: tuple[Presence, Presence] = (AWAY, AWAY)
    offer: int | None = None
    offer_announced: bool = False
    arrived_ns: int | None = None
    info: dict[str, Any] | None = None
    streaks: Streaks = NO_STREAKS
    take_back: int | None = None
    plies_kept: int | None = None

    @property
    def ended(self) -> bool:
        """Whether the result is saved and told."""
        return type(self.stage) is Ended


Step = tuple[Match, tuple[Effect, ...]]


def with_seat(seats: tuple[SeatState, SeatState], seat: int, state: SeatState) -> tuple[SeatState, SeatState]:
    """The pair with one seat's state replaced."""
    return (state, seats[1]) if seat == 0 else (seats[0], state)


def with_presence(both: tuple[Presence, Presence], seat: int, presence: Presence) -> tuple[Presence, Presence]:
    """The pair with one seat's presence replaced."""
    return (presence, both[1]) if seat == 0 else (both[0], presence)


def streaks_after(
    terms: Terms, streaks: Streaks, after: MatchPosition, seat: int, info: dict[str, Any] | None
) -> Streaks:
    """What adjudication has counted once `seat` has moved to the position `after` and said `info`."""
    rule = terms.adjudication
    if rule is None:
        return streaks
    new_ground = terms.repetition_possible and not after.history()[1]
    return counted(rule, streaks, seat, score_of(info), new_ground=new_ground)


def has_moved(match: Match) -> bool:
    """Whether a player (not the opening) has made a move."""
    return match.position.ply > match.terms.opening_plies


def remaining_now_us(match: Match, now_ns: int) -> tuple[int, int]:
    """What both clocks show now, in microseconds; only a thinking seat's differs from what is saved."""
    first, second = match.seats[0].remaining_us, match.seats[1].remaining_us
    stage = match.stage
    if type(stage) is not AwaitingMove:
        return first, second
    elapsed_us = max(0, now_ns - stage.started_ns) // NS_PER_US
    controls = match.terms.controls
    if match.position.to_move == 0:
        return shown_us(controls[0], first, elapsed_us), second
    return first, shown_us(controls[1], second, elapsed_us)
