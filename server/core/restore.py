"""Makes a running match from stored rows: a new one, or one that a restart interrupted.

After every saved row the restored match equals the live one, except for what ends with the process: who is connected,
and the pending turn, which starts again from the saved clock. What does not fit together raises RestoreError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import ValidationError, convert

from tabiya.games.endings import Ending
from tabiya.games.errors import GameError
from tabiya.protocol.time_control import TimeControlError, parse_by_seat
from tabiya.server.core.adjudication import NO_STREAKS, Adjudication, Streaks
from tabiya.server.core.clock import NS_PER_US, US_PER_MS, US_PER_S, after_move_us, move_limit_us, wall_us
from tabiya.server.core.policy import MatchPolicy
from tabiya.server.core.state import (
    AwaitingPlayers,
    Match,
    MatchPosition,
    Rules,
    SeatState,
    Terms,
    TimeAccount,
    streaks_after,
)
from tabiya.storage.records import (
    MatchId,
    MatchRecord,
    MoveRecord,
    NewMatch,
    OpeningPly,
    StoredMatch,
)


class RestoreError(ValueError):
    """What is stored of a match does not fit together; the text says where, for an operator."""


class OtherRulesError(RestoreError):
    """The match was begun under another version of the rules than is played here."""


def start_match(
    match_id: MatchId,
    new: NewMatch,
    rules: Rules,
    policy: MatchPolicy,
    epoch_ns: int,
    opened: MatchPosition | None = None,
) -> Match:
    """The live match of one just created under `match_id`; it waits for MatchOpened.

    epoch_ns: wall-clock time (since 1970) minus monotonic time.  opened: the position after its opening, for who has
    it already.  Raises RestoreError.
    """
    terms = _terms(match_id, new, rules, len(new.opening), policy, epoch_ns)
    position = opened or _opened(rules, new)
    _check_running(position)
    return Match(terms, position, _opening_seats(new))


def restore_match(stored: StoredMatch, rules: Rules, policy: MatchPolicy, epoch_ns: int, restored_at: float) -> Match:
    """The live match of one that was running when the server stopped; it waits for MatchOpened.

    restored_at: seconds since 1970; at most the time since the last move, and at most the pending turn's whole limit,
    is recorded as thinking that was forgiven.  Raises RestoreError.
    """
    record, rows = stored.match, stored.moves
    terms, position, seats, streaks = replayed(stored, rules, policy, epoch_ns)
    _check_running(position)
    since_s = restored_at - (rows[-1].at if rows else record.created_at)
    mover = position.to_move
    limit_us = move_limit_us(terms.controls[mover], seats[mover].remaining_us, terms.stall_us)
    # at least 0, because the machine's clock may have been set back in between
    forgiven_us = max(0, min(int(since_s * US_PER_S), limit_us))
    offer = rows[-1].draw_offer if rows else None
    has_moved = bool(rows) and not rows[-1].opening
    return Match(
        terms,
        position,
        seats,
        AwaitingPlayers(restored=True, forgiven_us=forgiven_us),
        offer=offer,
        offer_announced=offer is not None,  # it is saved, so every turn from now on carries it
        arrived_ns=wall_us(rows[-1].at) * NS_PER_US - epoch_ns if has_moved else None,
        info=rows[-1].info if rows else None,
        streaks=streaks,
    )


class Replayed(NamedTuple):
    """A match after all its rows."""

    terms: Terms
    position: MatchPosition
    seats: tuple[SeatState, SeatState]
    streaks: Streaks


def replayed(stored: StoredMatch, rules: Rules, policy: MatchPolicy, epoch_ns: int) -> Replayed:
    """The match played through by the rules, its clocks followed row by row.  Raises RestoreError."""
    record, rows = stored.match, stored.moves
    terms = _terms(record.id, record, rules, sum(row.opening for row in rows), policy, epoch_ns)
    position, streaks = _moves_replayed(terms, _start(rules, record.start_text), rows)
    return Replayed(terms, position, _clocks_replayed(terms, record, rows), streaks)


def _moves_replayed(terms: Terms, start: MatchPosition, rows: Sequence[MoveRecord]) -> tuple[MatchPosition, Streaks]:
    """The position after all rows, and what adjudication has counted."""
    in_order = all(row.ply == ply for ply, row in enumerate(rows))
    if in_order and terms.adjudication is None:
        position = start.play_all([row.text for row in rows], [row.seat for row in rows])
        if position is not None:
            return position, NO_STREAKS
    position, streaks = start, NO_STREAKS
    for ply, row in enumerate(rows):
        position = _played(position, ply, row)
        if not row.opening:
            streaks = streaks_after(terms, streaks, position, row.seat, row.info)
    return position, streaks


def _terms(
    match_id: MatchId,
    agreed: NewMatch | MatchRecord,
    rules: Rules,
    opening_plies: int,
    policy: MatchPolicy,
    epoch_ns: int,
) -> Terms:
    # under other rules the same moves may be illegal, or lead elsewhere
    if agreed.game != rules.name or agreed.rules_version != rules.rules_version:
        stored, here = f"{agreed.game} {agreed.rules_version}", f"{rules.name} {rules.rules_version}"
        raise OtherRulesError(f"the match was begun under the rules {stored}, this server plays {here}")
    try:
        controls = parse_by_seat(agreed.time_control)
    except TimeControlError as error:
        raise RestoreError(str(error)) from error
    return Terms(
        match_id=match_id,
        game=agreed.game,
        players=(agreed.seats[0].bot, agreed.seats[1].bot),
        seat_names=rules.seat_names,
        draws_possible=rules.draws_possible,
        max_plies=rules.max_plies,
        controls=controls,
        illegal_limit=agreed.illegal_limit,
        stall_us=agreed.stall_limit_ms * US_PER_MS,
        opening_plies=opening_plies,
        epoch_ns=epoch_ns,
        policy=policy,
        adjudication=_adjudication(agreed.adjudication),
        repetition_possible=Ending.THREEFOLD_REPETITION in rules.endings,
        take_backs=not agreed.rated and agreed.tournament_id is None,
    )


def _adjudication(stored: dict[str, Any] | None) -> Adjudication | None:
    try:
        return None if stored is None else convert(stored, Adjudication)
    except ValidationError as error:
        raise RestoreError(f"its rule of adjudication cannot be read: {error}") from error


def _start(rules: Rules, text: str) -> MatchPosition:
    try:
        return rules.parse(text)
    except GameError as error:
        raise RestoreError(f"the start position cannot be read: {error}") from error


def _opened(rules: Rules, new: NewMatch) -> MatchPosition:
    position = _start(rules, new.start_text)
    for ply, move in enumerate(new.opening):
        position = _played(position, ply, move)
    return position


def _opening_seats(agreed: NewMatch | MatchRecord) -> tuple[SeatState, SeatState]:
    (first, second), (first_quota, second_quota) = agreed.remaining_us, agreed.credit_left_us
    return SeatState(first, first_quota), SeatState(second, second_quota)


def _played(position: MatchPosition, ply: int, move: OpeningPly | MoveRecord) -> MatchPosition:
    if isinstance(move, MoveRecord) and move.ply != ply:
        raise RestoreError(f"ply {ply} is missing, ply {move.ply} follows")
    if move.seat != position.to_move or position.outcome() is not None:
        raise RestoreError(f"ply {ply} is by seat {move.seat}, who is not to move there")
    try:
        return position.play(move.text)
    except GameError as error:
        raise RestoreError(f"ply {ply} cannot be played: {error}") from error


def _clocks_replayed(terms: Terms, record: MatchRecord, rows: Sequence[MoveRecord]) -> tuple[SeatState, SeatState]:
    """Both seats after all rows; what each row says of the clocks must follow from its own account."""
    left_us, made, last = list(record.remaining_us), [0, 0], list[MoveRecord | None]((None, None))
    for row in rows:
        if row.opening:
            continue
        seat = row.seat
        made[seat] += 1
        left_us[seat] = after_move_us(terms.controls[seat], left_us[seat], row.think_us - row.credit_us, made[seat])
        if row.remaining_us != (left_us[0], left_us[1]):
            raise RestoreError(f"the clocks {row.remaining_us} us after ply {row.ply} do not follow from its account")
        last[seat] = row
    if not rows or rows[-1].opening:
        return _opening_seats(record)
    return _seat(rows[-1], 0, made[0], last[0]), _seat(rows[-1], 1, made[1], last[1])


def _seat(row: MoveRecord, seat: int, moves_made: int, own: MoveRecord | None) -> SeatState:
    """row: the last one.  own: the last one by this seat."""
    account = TimeAccount(own.server_us, own.network_us, own.think_us, own.credit_us) if own else None
    return SeatState(row.remaining_us[seat], row.credit_left_us[seat], moves_made, row.illegal_counts[seat], account)


def _check_running(position: MatchPosition) -> None:
    if position.outcome() is not None:
        raise RestoreError(f"the game is over after ply {position.ply - 1}, but no result is stored")
