"""Refusals of players' messages. Each text says what was received and what was expected."""

from __future__ import annotations

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import SendRefusal
from tabiya.server.core.events import MoveArrived
from tabiya.server.core.state import Ended, Frozen, Match

LONGEST_TEXT = 1_000


def is_closed(match: Match) -> bool:
    """Whether the match takes nothing from its players any more."""
    return type(match.stage) in (Ended, Frozen)


def closed_refusal(match: Match, seat: int, about: str, ply: int | None = None) -> SendRefusal:
    """The answer to a message that comes after the end, or while the match is frozen."""
    stage = match.stage
    if type(stage) is Ended:
        text = f"the match has ended: {stage.result.reason or stage.result.ending}"
        return SendRefusal(seat, RefusalCode.MATCH_OVER, text[:LONGEST_TEXT], about, ply)
    text = "the server met an error of its own in this match and stopped it; no clock runs, an operator decides"
    return SendRefusal(seat, RefusalCode.MATCH_FROZEN, text, about, ply)


def late_refusal(match: Match, stage: Ended, event: MoveArrived) -> SendRefusal:
    """The answer to a move that came when the match had been ended; says so if that was for its lateness."""
    position, result = match.position, stage.result
    by_time = result.ending in (Ending.TIME, Ending.TIME_CANNOT_WIN, Ending.STALL)
    if not by_time or event.seat != position.to_move or event.seen_ply != position.ply:
        return closed_refusal(match, event.seat, "move", event.seen_ply)
    return SendRefusal(event.seat, RefusalCode.OUT_OF_TIME, result.reason[:LONGEST_TEXT], "move", event.seen_ply)


def misplaced_refusal(match: Match, event: MoveArrived) -> SendRefusal:
    """The answer to a move that is not for the ply and seat to move: repeated, stale, premature or not its turn."""
    position, seen = match.position, event.seen_ply
    if seen < position.ply and position.moves[seen] == event.text:
        return _refusal(event, RefusalCode.ALREADY_PLAYED, f"the move {event.text} for ply {seen} was received before")
    if seen != position.ply:
        text = f"the move answers ply {seen}, but ply {position.ply} is to be played"
        return _refusal(event, RefusalCode.WRONG_PLY, text)
    whose = match.terms.who(position.to_move)
    text = f"{whose} is to move at ply {seen}" if event.seat != position.to_move else "wait for your turn to be sent"
    return _refusal(event, RefusalCode.NOT_YOUR_TURN, text)


def full_refusal(seat: int, about: str, limit: int, ply: int | None) -> SendRefusal:
    """The answer to one message too many while a save is under way."""
    text = f"{limit} messages of yours wait already while the last move is being saved"
    return SendRefusal(seat, RefusalCode.LIMIT_REACHED, text, about, ply)


def _refusal(event: MoveArrived, code: RefusalCode, text: str) -> SendRefusal:
    return SendRefusal(event.seat, code, text, "move", event.seen_ply)
