"""A move arrives. Checks in their published order: for this ply, the clock, the rules, the end of the game."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.games.errors import IllegalMove, MoveFormatError
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.clock import NS_PER_US, after_move_us, floor_us_ns, quota_after_us
from tabiya.server.core.effects import SaveMove, SaveResult, SendRefusal
from tabiya.server.core.events import MoveArrived
from tabiya.server.core.handlers.draw_offers import offer_after_move
from tabiya.server.core.handlers.endings import conclude, decided, out_of_time
from tabiya.server.core.handlers.rejections import LONGEST_TEXT, closed_refusal, late_refusal, misplaced_refusal
from tabiya.server.core.state import (
    AwaitingMove,
    Ended,
    Frozen,
    Match,
    MatchPosition,
    Presence,
    Saving,
    SeatState,
    Step,
    TimeAccount,
    streaks_after,
    with_presence,
    with_seat,
)
from tabiya.storage.records import MoveRecord, ResultRecord


def move_arrived(match: Match, event: MoveArrived) -> Step:
    """Stops the mover's clock and asks for the save; or refuses, changing nothing but the count of illegal moves."""
    stage, position = match.stage, match.position
    if type(stage) is not AwaitingMove:
        return match, (_refused_off_turn(match, event),)
    if event.seen_ply != position.ply or event.seat != position.to_move:
        return match, (misplaced_refusal(match, event),)
    if event.arrived_ns > stage.deadline_ns:  # at the very deadline it is in time
        # the late move is answered with a refusal, but only after the result that it caused is saved and told
        return out_of_time(match, stage, event.arrived_ns, waiting=(event,))
    try:
        after = position.play(event.text)
    except MoveFormatError as error:
        return _illegal(match, event, RefusalCode.UNREADABLE_MOVE, str(error))
    except IllegalMove as error:
        return _illegal(match, event, RefusalCode.ILLEGAL_MOVE, str(error))
    return _save(match, stage, event, after)


def _refused_off_turn(match: Match, event: MoveArrived) -> SendRefusal:
    stage = match.stage
    if type(stage) is Ended:
        return late_refusal(match, stage, event)
    if type(stage) is Frozen:
        return closed_refusal(match, event.seat, "move", event.seen_ply)
    return misplaced_refusal(match, event)


def _illegal(match: Match, event: MoveArrived, code: RefusalCode, why: str) -> Step:
    """The clock runs on; the last illegal move that is forgiven is the one before the limit."""
    state, limit = match.seats[event.seat], match.terms.illegal_limit
    count = state.illegal + 1  # saved with the next move only: a restart before that forgives it
    match = replace(match, seats=with_seat(match.seats, event.seat, replace(state, illegal=count)))
    if count < limit:
        refusal = SendRefusal(
            event.seat, code, why[:LONGEST_TEXT], "move", event.seen_ply, illegal_left=limit - count - 1
        )
        return match, (refusal,)
    who = match.terms.who(event.seat)
    reason = f"{who} sent {count} illegal {'move' if count == 1 else 'moves'}, the last at ply {event.seen_ply}: {why}"
    return conclude(match, 1 - event.seat, Ending.ILLEGAL_MOVES, reason[:LONGEST_TEXT], event.now_ns)


def _save(match: Match, stage: AwaitingMove, event: MoveArrived, after: MatchPosition) -> Step:
    """One transaction for the move and, if it ended the game, the result.

    A move that came before its turn was handed out (guessed during the save) counts from the handing out.
    """
    arrived_ns = max(floor_us_ns(event.arrived_ns), stage.started_ns)
    account = _account(stage, arrived_ns)
    mover = _charged(match, event.seat, account)
    seats = with_seat(match.seats, event.seat, mover)
    offer, is_announced = offer_after_move(match, event.seat)
    presence = _measured(match, event)
    streaks = streaks_after(match.terms, match.streaks, after, event.seat, event.info)
    moved = Match(match.terms, after, seats, stage, presence, offer, is_announced, arrived_ns, event.info, streaks)
    row = _row(moved, stage, event, account, arrived_ns)
    result = _result(moved, arrived_ns)
    save = SaveMove(row) if result is None else SaveResult(result, row)
    # the position changes only after the save: the move must not be visible before
    return replace(match, stage=Saving(save, moved), presence=presence), (save,)


def _measured(match: Match, event: MoveArrived) -> tuple[Presence, Presence]:
    """Both presences, with the round trip that this seat's next credit is reckoned from."""
    seen, network_us = match.presence[event.seat], event.network_ns // NS_PER_US
    if seen.network_us == network_us:
        return match.presence
    return with_presence(match.presence, event.seat, Presence(seen.connected, seen.away_since_ns, network_us))


def _account(stage: AwaitingMove, arrived_ns: int) -> TimeAccount:
    think_us = (arrived_ns - stage.started_ns) // NS_PER_US
    # no more credit than was used: a move may not give back more time than it took
    return TimeAccount(stage.server_us, stage.network_us, think_us, min(stage.credit_us, think_us))


def _charged(match: Match, seat: int, account: TimeAccount) -> SeatState:
    terms, state = match.terms, match.seats[seat]
    moves_made = state.moves_made + 1
    spent_us = account.think_us - account.credit_us
    return SeatState(
        after_move_us(terms.controls[seat], state.remaining_us, spent_us, moves_made),
        quota_after_us(terms.policy.lag, state.quota_us, account.credit_us),
        moves_made,
        state.illegal,
        account,
    )


def _row(moved: Match, stage: AwaitingMove, event: MoveArrived, account: TimeAccount, arrived_ns: int) -> MoveRecord:
    terms, (first, second) = moved.terms, moved.seats
    return MoveRecord(
        match_id=terms.match_id,
        ply=event.seen_ply,
        text=event.text,
        seat=event.seat,
        remaining_us=(first.remaining_us, second.remaining_us),
        illegal_counts=(first.illegal, second.illegal),
        draw_offer=moved.offer,
        credit_left_us=(first.quota_us, second.quota_us),
        server_us=account.server_us,
        network_us=account.network_us,
        think_us=account.think_us,
        credit_us=account.credit_us,
        forgiven_us=stage.forgiven_us,
        info=event.info,
        sent_at=terms.wall_s(stage.handed_out_ns),
        at=terms.wall_s(arrived_ns),
    )


def _result(moved: Match, arrived_ns: int) -> ResultRecord | None:
    """The result if the move has ended the game."""
    terms = moved.terms
    found = decided(terms, moved.position, moved.seats, moved.streaks)
    if found is None:
        return None
    return ResultRecord(
        match_id=terms.match_id,
        winner=found.winner,
        ending=str(found.ending),
        reason=found.reason,
        remaining_us=(moved.seats[0].remaining_us, moved.seats[1].remaining_us),
        ended_at=terms.wall_s(arrived_ns),
    )
