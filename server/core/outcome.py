"""How a position ends a match by itself: by the rules, by its length, or by the organiser's rule of adjudication."""

from __future__ import annotations

from tabiya.games.endings import Ending
from tabiya.server.core.adjudication import Streaks, Verdict, verdict
from tabiya.server.core.state import MatchPosition, SeatState, Terms


def decided(
    terms: Terms, position: MatchPosition, seats: tuple[SeatState, SeatState], streaks: Streaks
) -> Verdict | None:
    """The verdict after a move, None if the match goes on."""
    outcome = position.outcome()
    if outcome is not None:
        return Verdict(outcome.winner, outcome.ending, "")
    if position.ply >= terms.max_plies:
        return Verdict(None, Ending.MOVE_LIMIT, f"{terms.max_plies} plies have been played")
    if terms.adjudication is None:
        return None
    moves_made, players = (seats[0].moves_made, seats[1].moves_made), (terms.who(0), terms.who(1))
    return verdict(terms.adjudication, streaks, moves_made, players)
