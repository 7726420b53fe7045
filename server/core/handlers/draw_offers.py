"""Draw offers. At most one is open; the other player accepts it with its own offer, and declines it with its next move.

An offer of either player is sent with the next saved move, never before, so it survives a crash like everything that
was sent. It is open from then until the opponent's next move. The player to move gets it in the turn, the other in a
message of its own; every turn says it while it is open.
"""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import Effect, SendDrawOffered, SendRefusal
from tabiya.server.core.events import DrawOffered
from tabiya.server.core.handlers.endings import conclude
from tabiya.server.core.handlers.rejections import closed_refusal, is_closed
from tabiya.server.core.state import Match, Step


def draw_offered(match: Match, event: DrawOffered) -> Step:
    """An agreed draw if the other seat's offer stands; otherwise an offer that goes out with the next saved move."""
    refusal = _refusal(match, event)
    if refusal is not None:
        return match, (refusal,)
    if match.offer is None:
        return replace(match, offer=event.seat, offer_announced=False), ()
    return conclude(match, None, Ending.DRAW_AGREED, "both players offered a draw", event.now_ns)


def offer_after_move(match: Match, mover: int) -> tuple[int | None, bool]:
    """The standing offer after a move, and whether it is announced. An offer that the mover knew of has lapsed."""
    if match.offer is None or (match.offer != mover and match.offer_announced):
        return None, False
    return match.offer, match.offer_announced


def announce_offer(match: Match) -> tuple[Match, tuple[Effect, ...]]:
    """Announce an offer that is now saved. If the opponent is to move, its turn message does so."""
    if match.offer is None or match.offer_announced:
        return match, ()
    after = replace(match, offer_announced=True)
    if match.position.to_move != match.offer:
        return after, ()
    return after, (SendDrawOffered(1 - match.offer, match.position.ply),)


def _refusal(match: Match, event: DrawOffered) -> SendRefusal | None:
    if is_closed(match):
        return closed_refusal(match, event.seat, "draw_offer", event.ply)
    if not match.terms.draws_possible:
        return _refused(event, RefusalCode.NO_DRAW_POSSIBLE, "this game knows no draw")
    if not _is_timely(match, event):
        text = f"the offer is for ply {event.ply}, but ply {match.position.ply} is to be played; offer before you move"
        return _refused(event, RefusalCode.WRONG_PLY, text)
    if match.offer == event.seat:
        return _refused(event, RefusalCode.DRAW_ALREADY_OFFERED, "your offer still stands")
    return None


def _is_timely(match: Match, event: DrawOffered) -> bool:
    """For the ply about to be played; or an acceptance that crossed moves of the opponent.

    The offer stands since this player's last move, so the acceptance can mean nothing else.
    """
    position = match.position
    accepts = match.offer == 1 - event.seat and match.offer_announced and 0 <= event.ply < position.ply
    return event.ply == position.ply or (accepts and event.seat not in position.movers()[event.ply :])


def _refused(event: DrawOffered, code: RefusalCode, text: str) -> SendRefusal:
    return SendRefusal(event.seat, code, text, "draw_offer", event.ply)
