"""Everything that can happen to a match. Named in the past; each carries its time.

None can be part of a reference cycle, so the garbage collector need not track them (gc=False): there are thousands a
second.

`now_ns`: the server's monotonic clock in nanoseconds when the event is handed to the match. The caller of
`advance` passes events of one match one after the other, and each answer to a save exactly once.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tabiya.games.endings import Ending


class MatchOpened(Struct, frozen=True, gc=False):
    """The match exists (new or restored) and may begin.

    connected: which seats are there now; the first turn goes out when both are, or when patience ends.
    network_ns: shortest measured round trip to each seat.
    """

    now_ns: int
    connected: tuple[bool, bool] = (True, True)
    network_ns: tuple[int, int] = (0, 0)


class MoveArrived(Struct, frozen=True, gc=False):
    """A move was read from a seat's connection.

    seen_ply: the ply it answers.  arrived_ns: the earliest time at which its bytes can have been here: when they were
    read, less the time for which the loop had not looked.  network_ns: shortest of the last eight round trips.
    info: what the bot says of its own thinking, as plain values.
    """

    seat: int
    text: str
    seen_ply: int
    arrived_ns: int
    now_ns: int
    network_ns: int = 0
    info: dict[str, Any] | None = None


class MoveSaved(Struct, frozen=True, gc=False):
    """The row of `ply` is committed."""

    ply: int
    now_ns: int


class ResultSaved(Struct, frozen=True, gc=False):
    """The result, and the last move with it, is committed."""

    now_ns: int


class SaveFailed(Struct, frozen=True, gc=False):
    """The save under way was not committed. permanent: trying again cannot help (our bug)."""

    reason: str
    now_ns: int
    permanent: bool = False


class TurnSent(Struct, frozen=True, gc=False):
    """The turn of `ply` was handed to the network now; until then the time was the server's."""

    ply: int
    now_ns: int


class AlarmRang(Struct, frozen=True, gc=False):
    """The wake-up set for `ply`. rearmed: it comes a full read cycle after `RecheckAfterReads`."""

    ply: int
    now_ns: int
    rearmed: bool = False


class ProcessPaused(Struct, frozen=True, gc=False):
    """The whole process stood still from `since_ns` (the latest instant at which it surely ran) until now."""

    since_ns: int
    now_ns: int


class PresenceAlarmRang(Struct, frozen=True, gc=False):
    """The wake-up for players who are away."""

    now_ns: int


class Resigned(Struct, frozen=True, gc=False):
    """A seat gives up. failure: the error, if its program has failed; for its owner and the operator only."""

    seat: int
    now_ns: int
    failure: str = ""


class DrawOffered(Struct, frozen=True, gc=False):
    """A seat offers a draw, or accepts the other's offer. ply: the one about to be played, as the bot saw it."""

    seat: int
    ply: int
    now_ns: int


class TakeBackAsked(Struct, frozen=True, gc=False):
    """A seat asks to take its last move back, or agrees to what the other asks. ply: as with an offer."""

    seat: int
    ply: int
    now_ns: int
    agree: bool = False


class SeatConnected(Struct, frozen=True, gc=False):
    """A seat's bot is connected, for the first time, again, or on a newer connection."""

    seat: int
    now_ns: int
    network_ns: int = 0


class SeatDisconnected(Struct, frozen=True, gc=False):
    """A seat's bot is gone; its clock runs on."""

    seat: int
    now_ns: int


class Adjudicated(Struct, frozen=True, gc=False):
    """An operator, or what `ending` names, decided the match. winner: seat, None for a draw."""

    winner: int | None
    reason: str
    now_ns: int
    ending: Ending = Ending.ADJUDICATED


class Aborted(Struct, frozen=True, gc=False):
    """An operator or the server ended the match without a result."""

    reason: str
    now_ns: int


class RulesFailed(Struct, frozen=True, gc=False):
    """An earlier event of this match raised an error of the server's own."""

    reason: str
    now_ns: int


Event = (
    MatchOpened
    | MoveArrived
    | MoveSaved
    | ResultSaved
    | SaveFailed
    | TurnSent
    | AlarmRang
    | ProcessPaused
    | PresenceAlarmRang
    | Resigned
    | DrawOffered
    | TakeBackAsked
    | SeatConnected
    | SeatDisconnected
    | Adjudicated
    | Aborted
    | RulesFailed
)
