"""Taking a move back, in matches that are not rated: one player asks, and the other agrees before anybody moves.

Rows of moves are never changed: the match ends without a result, and the same two go on in a new match that begins with
the moves that stay (docs/decisions/020). A request is sent at once and not saved; the next move declines it.
"""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import SendRefusal, SendTakeBackAsked
from tabiya.server.core.events import TakeBackAsked
from tabiya.server.core.handlers.endings import conclude
from tabiya.server.core.handlers.rejections import closed_refusal, is_closed
from tabiya.server.core.state import Match, Step


def take_back_asked(match: Match, event: TakeBackAsked) -> Step:
    """A request that the other seat learns of; or the end of the match, if this agrees to one."""
    refusal = _refusal(match, event)
    if refusal is not None:
        return match, (refusal,)
    if not event.agree:
        return replace(match, take_back=event.seat), (SendTakeBackAsked(1 - event.seat, match.position.ply),)
    asked = 1 - event.seat
    text = f"{match.terms.who(asked)} took its last move back; they go on from before it in a new match"
    going_on = replace(match, plies_kept=_plies_kept(match, asked))
    return conclude(going_on, None, Ending.ABORTED, text, event.now_ns)


def _plies_kept(match: Match, seat: int) -> int:
    """Plies before this seat's last move; below 0 if it has made none."""
    return max((ply for ply, mover in enumerate(match.position.movers()) if mover == seat), default=-1)


def _refusal(match: Match, event: TakeBackAsked) -> SendRefusal | None:
    if is_closed(match):
        return closed_refusal(match, event.seat, "take_back", event.ply)
    position = match.position
    if event.ply != position.ply:
        text = f"the request is for ply {event.ply}, but ply {position.ply} is to be played"
        return _refused(event, RefusalCode.WRONG_PLY, text)
    if not match.terms.take_backs:
        return _refused(event, RefusalCode.NO_TAKE_BACK, "moves are taken back only in matches that are not rated")
    if event.agree:
        asked = match.take_back == 1 - event.seat
        return None if asked else _refused(event, RefusalCode.NO_TAKE_BACK, "nobody asks to take a move back")
    if _plies_kept(match, event.seat) < 0:
        return _refused(event, RefusalCode.NO_TAKE_BACK, "you have made no move yet")
    return None


def _refused(event: TakeBackAsked, code: RefusalCode, text: str) -> SendRefusal:
    return SendRefusal(event.seat, code, text, "take_back", event.ply)
