"""Checks that everything stored of a match is consistent.

Its moves are replayed by the rules, its clocks followed by their accounts, and its result found again from both.
"""

from __future__ import annotations

from collections.abc import Iterator

from tabiya.games.endings import Ending
from tabiya.protocol.time_control import by_seat_text
from tabiya.server.core.clock import wall_us
from tabiya.server.core.handlers.endings import decided
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.core.restore import Replayed, RestoreError, replayed
from tabiya.server.core.state import Rules
from tabiya.storage.records import LostTurn, MatchRecord, MoveRecord, ResultRecord, StoredMatch

ROUNDING_US = 5  # rows of earlier versions: each of up to five figures of a gap was rounded down
OUT_OF_TIME = (Ending.TIME, Ending.TIME_CANNOT_WIN, Ending.STALL)
WITH_A_WINNER = (Ending.RESIGNATION, Ending.ILLEGAL_MOVES, Ending.ABANDONED)
WITHOUT_A_WINNER = (Ending.DRAW_AGREED, Ending.ABORTED)
FROM_OUTSIDE = (*OUT_OF_TIME, *WITH_A_WINNER, *WITHOUT_A_WINNER, Ending.ADJUDICATED, Ending.KNOWN_RESULT)
"""Endings that the moves alone do not bring."""


def faults_of(stored: StoredMatch, rules: Rules) -> Iterator[str]:
    """The inconsistencies of a match, a sentence each.  rules: of the match's game and rules version."""
    try:
        end = replayed(stored, rules, DEFAULT_POLICY, 0)
    except RestoreError as error:
        yield str(error)
        return
    yield from _accounts(stored)
    yield from _status(stored.match, end)
    result = stored.match.result
    if result is not None:
        yield from _result(result, end)
        yield from _last_clocks(result, end)
        if result.lost_turn is not None:
            yield from _lost_turn(result, result.lost_turn, stored.moves)


# --- the moves


def _accounts(stored: StoredMatch) -> Iterator[str]:
    before: MoveRecord | None = None
    illegal = (0, 0)
    for row in stored.moves:
        if row.opening:
            continue
        yield from (f"the account of ply {row.ply} {fault}" for fault in _account(row, before))
        yield from (f"the illegal moves after ply {row.ply} {fault}" for fault in _illegal(row, illegal, stored.match))
        before, illegal = row, row.illegal_counts


def _account(row: MoveRecord, before: MoveRecord | None) -> Iterator[str]:
    figures = (row.server_us, row.network_us, row.think_us, row.credit_us, row.forgiven_us, *row.credit_left_us)
    if min(figures) < 0:
        yield "has less than no time in it"
    if row.credit_us > min(row.think_us, row.network_us):
        yield f"gives {row.credit_us} us of credit for {row.think_us} us of thinking and {row.network_us} us of line"
    if row.sent_at is not None and wall_us(row.at) - wall_us(row.sent_at) + ROUNDING_US < row.think_us:
        yield f"has {row.think_us} us of thinking in a turn of {wall_us(row.at) - wall_us(row.sent_at)} us"
    if before is not None:
        passed_us, explained_us = wall_us(row.at) - wall_us(before.at), row.server_us + row.forgiven_us + row.think_us
        # the machine's clock may have been set back while the server was down
        if 0 <= passed_us < explained_us - ROUNDING_US:
            yield f"explains {explained_us} us, but {passed_us} us have passed since ply {before.ply}"


def _illegal(row: MoveRecord, before: tuple[int, int], record: MatchRecord) -> Iterator[str]:
    if any(now < then for now, then in zip(row.illegal_counts, before, strict=True)):
        yield f"are {row.illegal_counts}, fewer than {before} before"
    if max(row.illegal_counts) >= record.illegal_limit:
        yield f"are {row.illegal_counts}, but number {record.illegal_limit} loses"


# --- the result


def _status(record: MatchRecord, end: Replayed) -> Iterator[str]:
    if (record.status == "ended") != (record.result is not None):
        yield f"it is {record.status} and has {'no' if record.result is None else 'a'} result"
    # a frozen match may be one whose end could not be saved
    if record.result is None and record.status == "running" and decided(*end) is not None:
        yield f"the game is over after ply {end.position.ply - 1}, but no result is stored"


def _result(result: ResultRecord, end: Replayed) -> Iterator[str]:
    expected, stored = decided(*end), _result_text(result.winner, result.ending)
    if expected is not None:
        if (result.winner, result.ending) != (expected.winner, expected.ending):
            yield f"the stored result is {stored}, but the moves say {_result_text(expected.winner, expected.ending)}"
    elif result.ending not in FROM_OUTSIDE:
        yield f"the stored result is {stored}, but the moves have not ended the game"
    else:
        yield from (f"the stored result is {stored}, but {why}" for why in _outside(result, end))


def _outside(result: ResultRecord, end: Replayed) -> Iterator[str]:
    """Why a result that the moves did not bring cannot be."""
    ending, other = result.ending, 1 - end.position.to_move
    if ending in WITH_A_WINNER and result.winner is None:
        yield "somebody wins so"
    if ending in (*WITHOUT_A_WINNER, Ending.TIME_CANNOT_WIN) and result.winner is not None:
        yield "nobody wins so"
    if ending == Ending.DRAW_AGREED and not end.terms.draws_possible:
        yield "this game knows no draw"
    if ending in (Ending.TIME, Ending.STALL):
        if result.winner != other:
            yield f"seat {end.position.to_move} was to move"
        elif not end.position.can_win(other):
            yield f"seat {other} could not win any more"
        if (ending == Ending.TIME) != end.terms.timed:
            yield f"the time control is {by_seat_text(*end.terms.controls)}"
    if ending == Ending.TIME_CANNOT_WIN and end.position.can_win(other):
        yield f"seat {other} could still win"


def _result_text(winner: int | None, ending: str) -> str:
    who = "nobody wins" if winner is None else f"seat {winner} wins"
    return f"{who} ({ending})"


def _last_clocks(result: ResultRecord, end: Replayed) -> Iterator[str]:
    """Clocks must equal those of the last row, except that of the side to move, which may have run on."""
    for seat, left_us in enumerate(result.remaining_us):
        saved_us = end.seats[seat].remaining_us
        ran = decided(*end) is None and seat == end.position.to_move
        if not (0 <= left_us <= saved_us if ran else left_us == saved_us):
            yield f"seat {seat} ends with {left_us} us on its clock, but had {saved_us} us after the last move"


def _lost_turn(result: ResultRecord, turn: LostTurn, rows: tuple[MoveRecord, ...]) -> Iterator[str]:
    given_us = turn.limit_us + turn.credit_us + turn.standstill_us
    passed_us = wall_us(turn.deadline_at) - wall_us(turn.sent_at)
    if passed_us != given_us:
        yield f"the lost turn had {passed_us} us to its deadline, but its account gives {given_us} us"
    over_us = wall_us(result.ended_at) - wall_us(turn.deadline_at)
    if result.overrun_ms != -(-over_us // 1_000):
        yield f"the deadline was overstepped by {over_us} us, but {result.overrun_ms} ms are stored"
    if turn.ply != len(rows):
        yield f"the lost turn is of ply {turn.ply}, but ply {len(rows)} was to be played"
