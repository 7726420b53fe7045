"""Everything a match can ask for. The runner carries them out strictly in this order, match by match.

A move or a result is saved before it is announced: the effects that announce it follow the answer to its save.
"""

from __future__ import annotations

from msgspec import Struct

from tabiya.protocol.codes import RefusalCode
from tabiya.storage.records import FailureRecord, MoveRecord, ResultRecord


class SaveMove(Struct, frozen=True, gc=False):
    """Commit this row, then answer with MoveSaved or SaveFailed."""

    move: MoveRecord


class SaveResult(Struct, frozen=True, gc=False):
    """Commit the result, and what brought it, a move or failure, in one transaction; then ResultSaved or SaveFailed.

    plies_kept: of a match that ends because a move was taken back. The same transaction begins the match in which the
    two go on, with so many first moves of this one and the clocks of the result.
    """

    result: ResultRecord
    move: MoveRecord | None = None
    failure: FailureRecord | None = None
    plies_kept: int | None = None


class RetrySave(Struct, frozen=True, gc=False):
    """Commit the same again, after `delay_ms`."""

    save: SaveMove | SaveResult
    delay_ms: int


class SendTurn(Struct, frozen=True, gc=False):
    """Send the seat its turn, and report TurnSent when it is handed to the network; nothing if it is not connected.

    remaining_us: both clocks now.  limit_us: how long this move may still take, lag credit apart.
    """

    seat: int
    ply: int
    remaining_us: tuple[int, int]
    limit_us: int


class SendRefusal(Struct, frozen=True, gc=False):
    """Tell a seat that its message changed nothing. about: type of the message; ply: the one it spoke of."""

    seat: int
    code: RefusalCode
    text: str
    about: str
    ply: int | None = None
    illegal_left: int | None = None


class SetAlarm(Struct, frozen=True, gc=False):
    """Wake the match with AlarmRang(ply) at this monotonic time; replaces the match's earlier alarm."""

    ply: int
    at_ns: int


class RecheckAfterReads(Struct, frozen=True, gc=False):
    """Answer AlarmRang(ply, rearmed=True) when every connection has been read once more."""

    ply: int


class SetPresenceAlarm(Struct, frozen=True, gc=False):
    """Wake the match with PresenceAlarmRang at this monotonic time; replaces the earlier one of this kind."""

    at_ns: int


class SendMatchStarted(Struct, frozen=True, gc=False):
    """Tell both seats that the match begins."""


class SendDrawOffered(Struct, frozen=True, gc=False):
    """Tell this seat, which is not to move, that the other offers a draw. ply: the one about to be played."""

    seat: int
    ply: int


class SendTakeBackAsked(Struct, frozen=True, gc=False):
    """Tell this seat that the other asks to take its last move back. ply: the one about to be played."""

    seat: int
    ply: int


class ContinueMatch(Struct, frozen=True, gc=False):
    """Run the match that was saved with the end of this one, in which its two go on."""


class SendMatchEnded(Struct, frozen=True, gc=False):
    """Tell both seats and everybody else how the match ended. Nothing but refusals follows."""

    result: ResultRecord


class Show(Struct, frozen=True, gc=False):
    """The committed state has changed: pass it to the spectators."""


class Freeze(Struct, frozen=True, gc=False):
    """Mark the match as frozen in the store, for an error of our own, and call an operator. No clock runs any more."""

    reason: str


Effect = (
    SaveMove
    | SaveResult
    | RetrySave
    | SendTurn
    | SendRefusal
    | SetAlarm
    | RecheckAfterReads
    | SetPresenceAlarm
    | SendMatchStarted
    | SendDrawOffered
    | SendTakeBackAsked
    | ContinueMatch
    | SendMatchEnded
    | Show
    | Freeze
)
