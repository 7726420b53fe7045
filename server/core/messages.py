"""The messages that tell bots and spectators about a match, made from its committed state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import convert

from tabiya.games.endings import Ending
from tabiya.protocol.messages import (
    Clocks,
    DrawOffered,
    History,
    MatchEnded,
    MatchStarted,
    MoveAccount,
    MoveInfo,
    Refused,
    TakeBackAsked,
    Turn,
    Watching,
)
from tabiya.protocol.time_control import TimeControl, by_seat_text
from tabiya.server.core.clock import NS_PER_US, US_PER_MS, moves_to_go
from tabiya.server.core.effects import SendDrawOffered, SendRefusal, SendTakeBackAsked, SendTurn
from tabiya.server.core.state import AwaitingMove, Ended, Match, TimeAccount
from tabiya.storage.records import Pair, ResultRecord


def turn_message(match: Match, send: SendTurn, *, legal_moves: bool = True) -> Turn:
    """The turn for `send.seat`. legal_moves: false for a bot that declined the list in `hello`."""
    position, terms, seat = match.position, match.terms, send.seat
    control, state = terms.controls[seat], match.seats[seat]
    base, since = position.history()
    return Turn(
        match=terms.match_id,
        game=terms.game,
        position=position.text(),
        seat=seat,
        ply=send.ply,
        last_move=_last_move(match),
        legal_moves=position.legal_moves() if legal_moves else None,
        history=History(position=base, moves=since),
        clock_ms=_clocks(send.remaining_us, seat) if control.timed else None,
        time_control=_control_text(control),
        increment_ms=control.increment_ms,
        moves_to_go=moves_to_go(control, state.moves_made),
        move_limit_ms=send.limit_us // US_PER_MS,  # rounded down: no bot shall plan with time that it does not have
        draw_offered=match.offer == 1 - seat and match.offer_announced,
        illegal_moves=state.illegal,
        illegal_limit=terms.illegal_limit,
        last_move_account=_account(state.account),
    )


def started_message(
    match: Match, seat: int, names: tuple[str, str], options: Mapping[str, Any], *, rated: bool, tournament: str = ""
) -> MatchStarted:
    """The news that the match begins, for one seat. names: of the bots, by seat."""
    terms, position = match.terms, match.position
    return MatchStarted(
        match=terms.match_id,
        game=terms.game,
        seat=seat,
        names=names,
        position=position.start_text,
        opening=tuple(position.moves[: terms.opening_plies]),
        options=dict(options),
        time_control=_control_text(terms.controls[seat]),
        rated=rated,
        tournament=tournament,
    )


def ended_message(match: Match, seat: int, result: ResultRecord) -> MatchEnded:
    """The news that the match has ended, for one seat."""
    terms, position = match.terms, match.position
    return MatchEnded(
        match=terms.match_id,
        game=terms.game,
        seat=seat,
        result=result_text(result),
        winner=result.winner,
        score=score(result, seat),
        ending=result.ending,
        reason=result.reason,
        position=position.text(),
        last_move=_last_move(match),
        clock_ms=_pair_ms(result.remaining_us) if terms.timed else None,
        plies=position.ply,
        overrun_ms=result.overrun_ms or 0,
        last_move_account=_account(match.seats[seat].account),
        goes_on=match.plies_kept is not None,
    )


def ended_as_seen(final: Watching, seat: int, result: ResultRecord) -> MatchEnded:
    """As `ended_message`, from the last state that spectators see: without what was measured for the last move."""
    return MatchEnded(
        match=final.match,
        game=final.game,
        seat=seat,
        result=final.result,
        winner=result.winner,
        score=score(result, seat),
        ending=result.ending,
        reason=result.reason,
        position=final.position,
        last_move=final.last_move,
        clock_ms=final.clock_ms,
        plies=final.ply,
        overrun_ms=result.overrun_ms or 0,
    )


def refused_message(match: Match, refusal: SendRefusal) -> Refused:
    """The refusal as its sender sees it."""
    return Refused(
        code=str(refusal.code),
        message=refusal.text,
        about=refusal.about,
        match=match.terms.match_id,
        ply=refusal.ply,
        illegal_left=refusal.illegal_left,
    )


def draw_offered_message(match: Match, effect: SendDrawOffered) -> DrawOffered:
    """The news that the other seat offers a draw."""
    return DrawOffered(match=match.terms.match_id, ply=effect.ply)


def take_back_asked_message(match: Match, effect: SendTakeBackAsked) -> TakeBackAsked:
    """The news that the other seat asks to take its last move back."""
    return TakeBackAsked(match=match.terms.match_id, ply=effect.ply)


def watching_message(match: Match, names: tuple[str, str], now_ns: int, tournament: str = "") -> Watching:
    """The whole committed state for a spectator. names: of the bots, by seat."""
    terms, position, stage = match.terms, match.position, match.stage
    result = stage.result if type(stage) is Ended else None
    thinking_ns = max(0, now_ns - stage.started_ns) if type(stage) is AwaitingMove else 0
    shown_us = result.remaining_us if result is not None else _committed_us(match)
    return Watching(
        match=terms.match_id,
        game=terms.game,
        names=names,
        time_control=_both_controls_text(terms.controls),
        start=position.start_text,
        moves=tuple(position.moves),
        position=position.text(),
        ply=position.ply,
        to_move=position.to_move if result is None else None,
        last_move=_last_move(match),
        clock_ms=_pair_ms(shown_us) if terms.timed else None,
        thinking_ms=thinking_ns // (NS_PER_US * US_PER_MS),
        info=convert(match.info, MoveInfo) if match.info is not None else None,
        result=result_text(result) if result is not None else "",
        ending=result.ending if result is not None else "",
        reason=result.reason if result is not None else "",
        tournament=tournament,
    )


def result_text(result: ResultRecord) -> str:
    """`1-0`, `0-1` or `1/2-1/2`, seat 0 first; `*` for a match without a result."""
    if result.ending == Ending.ABORTED:
        return "*"
    return "1/2-1/2" if result.winner is None else ("1-0", "0-1")[result.winner]


def score(result: ResultRecord, seat: int) -> float | None:
    """1, 0.5 or 0 for this seat; None for a match without a result."""
    if result.ending == Ending.ABORTED:
        return None
    return 0.5 if result.winner is None else float(result.winner == seat)


@lru_cache(maxsize=1_000)
def _control_text(control: TimeControl) -> str:
    return str(control)  # each of its numbers takes as long to write as half a turn


@lru_cache(maxsize=1_000)
def _both_controls_text(controls: tuple[TimeControl, TimeControl]) -> str:
    return by_seat_text(*controls)


def _last_move(match: Match) -> str | None:
    moves = match.position.moves
    return moves[-1] if moves else None


def _clocks(remaining_us: Pair, seat: int) -> Clocks:
    return Clocks(you=remaining_us[seat] // US_PER_MS, opponent=remaining_us[1 - seat] // US_PER_MS)


def _account(account: TimeAccount | None) -> MoveAccount | None:
    if account is None:
        return None
    return MoveAccount(
        server_ms=account.server_us // US_PER_MS,
        network_ms=account.network_us // US_PER_MS,
        think_ms=account.think_us // US_PER_MS,
        credit_ms=account.credit_us // US_PER_MS,
    )


def _committed_us(match: Match) -> Pair:
    return match.seats[0].remaining_us, match.seats[1].remaining_us


def _pair_ms(both_us: Pair) -> Pair:
    return both_us[0] // US_PER_MS, both_us[1] // US_PER_MS
