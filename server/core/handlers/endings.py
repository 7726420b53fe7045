"""Every way a match ends, by its last move or without one. The end is announced after its save."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.games.endings import PROGRAM_FAILED, Ending
from tabiya.server.core.adjudication import Streaks, Verdict, verdict
from tabiya.server.core.clock import NS_PER_US, US_PER_MS, ceil_us_ns
from tabiya.server.core.effects import Freeze, SaveResult, Show
from tabiya.server.core.events import Aborted, Adjudicated, Event, Resigned, RulesFailed
from tabiya.server.core.handlers.rejections import closed_refusal, is_closed
from tabiya.server.core.handlers.time_forfeit import forfeit_reason, lost_turn
from tabiya.server.core.state import (
    AwaitingMove,
    Ended,
    Frozen,
    Match,
    MatchPosition,
    Saving,
    SeatState,
    Step,
    Terms,
    remaining_now_us,
)
from tabiya.storage.records import FailureRecord, LostTurn, ResultRecord


def decided(
    terms: Terms, position: MatchPosition, seats: tuple[SeatState, SeatState], streaks: Streaks
) -> Verdict | None:
    """The verdict after a move, None if the match goes on."""
    outcome = position.outcome()
    if outcome is not None:
        return Verdict(outcome.winner, outcome.ending, "")
    if position.ply >= terms.max_plies:  # the rules end every game by then; if they err, it is a draw and not forever
        return Verdict(None, Ending.MOVE_LIMIT, f"{terms.max_plies} plies have been played")
    if terms.adjudication is None:
        return None
    moves_made, players = (seats[0].moves_made, seats[1].moves_made), (terms.who(0), terms.who(1))
    return verdict(terms.adjudication, streaks, moves_made, players)


def conclude(
    match: Match,
    winner: int | None,
    ending: Ending,
    reason: str,
    now_ns: int,
    *,
    overrun_ms: int | None = None,
    lost: LostTurn | None = None,
    failure: FailureRecord | None = None,
    waiting: tuple[Event, ...] = (),
) -> Step:
    """End the match without a further move. It is announced only after the result is saved.

    winner: seat, None for a draw or no result.  overrun_ms: by how much the clock was overstepped, in the turn `lost`.
    failure: the error of the loser's program; it is saved, and told to nobody.
    waiting: messages that are answered after the result is announced.
    """
    result = ResultRecord(
        match_id=match.terms.match_id,
        winner=winner,
        ending=str(ending),
        reason=reason,
        overrun_ms=overrun_ms,
        remaining_us=remaining_now_us(match, now_ns),
        ended_at=match.terms.wall_s(now_ns),
        lost_turn=lost,
    )
    save = SaveResult(result, failure=failure, plies_kept=match.plies_kept)
    return replace(match, stage=Saving(save, match, waiting)), (save,)


def out_of_time(match: Match, stage: AwaitingMove, late_ns: int, waiting: tuple[Event, ...] = ()) -> Step:
    """The seat to move has used up its time: it loses, or draws against a player who cannot win.

    late_ns: when its move arrived (the move is in `waiting` and not played), or when none had arrived.
    """
    terms, loser = match.terms, match.position.to_move
    late_ns = max(ceil_us_ns(late_ns), stage.deadline_ns)
    # rounded up, so that a loss by less than a millisecond is not one by 0
    overrun_ms = -(-(late_ns - stage.deadline_ns) // (NS_PER_US * US_PER_MS))
    lost = lost_turn(match, stage, late_ns, came=bool(waiting))
    if match.position.can_win(1 - loser):
        winner, ending = 1 - loser, Ending.TIME if terms.timed else Ending.STALL
    else:
        winner, ending = None, Ending.TIME_CANNOT_WIN
    reason = forfeit_reason(terms, lost, terms.wall_s(late_ns), drawn=winner is None)
    return conclude(match, winner, ending, reason, late_ns, overrun_ms=overrun_ms, lost=lost, waiting=waiting)


def resigned(match: Match, event: Resigned) -> Step:
    """A resignation counts at any ply, with either seat to move."""
    if is_closed(match):
        return match, (closed_refusal(match, event.seat, "resign"),)
    failure = None
    reason = f"{match.terms.who(event.seat)} resigned"
    if event.failure:
        failure = FailureRecord(match_id=match.terms.match_id, seat=event.seat, text=event.failure)
        reason = f"{reason}: {PROGRAM_FAILED}"
    return conclude(match, 1 - event.seat, Ending.RESIGNATION, reason, event.now_ns, failure=failure)


def adjudicated(match: Match, event: Adjudicated) -> Step:
    """A decision from outside; also ends a frozen match."""
    if type(match.stage) is Ended:
        return match, ()
    return conclude(match, event.winner, event.ending, event.reason, event.now_ns)


def aborted(match: Match, event: Aborted) -> Step:
    """No result; also ends a frozen match."""
    if type(match.stage) is Ended:
        return match, ()
    return conclude(match, None, Ending.ABORTED, event.reason, event.now_ns)


def rules_failed(match: Match, event: RulesFailed) -> Step:
    """An error of the server's own freezes the match; no player loses by it."""
    return (match, ()) if is_closed(match) else freeze(match, event.reason)


def freeze(match: Match, reason: str) -> Step:
    """No clock runs and no move is taken until an operator ends the match."""
    return replace(match, stage=Frozen(reason)), (Freeze(reason), Show())
