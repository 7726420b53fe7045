"""Adjudication: the server ends a match that is decided by its length or by the players' scores.

Off unless the organiser asks for it; the rule in words is docs/reference/tournaments.md. It is looked at after a move
that was in time and has not ended the game, so that clock and rules always come first. A score is what a bot says of
its own position with its move (`info.score`), in hundredths of the game's unit. Opening plies count for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from tabiya.games.endings import Ending
from tabiya.protocol.messages.fields import doc
from tabiya.storage.records import Pair

MOST_MOVES, MOST_IN_A_ROW, MOST_SCORE = 10_000, 1_000, 30_000  # a score of 30,000 hundredths means a decided game
InARow = Annotated[int, Meta(ge=1, le=MOST_IN_A_ROW)]


class DrawRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A draw after both players' scores stayed near 0."""

    movenumber: Annotated[int, Meta(ge=0, le=MOST_MOVES), doc("Moves that each player must have made before.")] = 0
    movecount: Annotated[InARow, doc("Consecutive moves of each player with such scores.")]
    score: Annotated[
        int, Meta(ge=0, le=MOST_SCORE), doc("Largest distance of the scores from 0, in hundredths of the game's unit.")
    ]


class ResignRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A loss after a player's own scores stayed low."""

    movecount: Annotated[InARow, doc("Consecutive moves of this player with such scores.")]
    score: Annotated[int, Meta(ge=1, le=MOST_SCORE), doc("Smallest distance of the scores below 0, in hundredths.")]
    twosided: Annotated[
        bool, doc("Whether the opponent's scores must also show a win of this size, for as many moves.")
    ] = False


class Adjudication(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules by which the server ends a match. Opening moves do not count."""

    draw: Annotated[DrawRule | None, doc("The rule for draws by scores; null: none.")] = None
    resign: Annotated[ResignRule | None, doc("The rule for losses by scores; null: none.")] = None
    maxmoves: Annotated[int, Meta(ge=0, le=MOST_MOVES), doc("Draw after this many moves by each player; 0: never.")] = 0


class Streaks(Struct, frozen=True):
    """For how many moves in a row, by seat, each part of the rule has held. Follows from the moves and their scores."""

    level: Pair = (0, 0)
    losing: Pair = (0, 0)
    winning: Pair = (0, 0)


NO_STREAKS = Streaks()


class Verdict(NamedTuple):
    """How the rule ends a match. winner: seat, None for a draw."""

    winner: int | None
    ending: str
    reason: str


def score_of(info: Mapping[str, Any] | None) -> int | None:
    """The score that a bot sent with its move; None without one."""
    score = info.get("score") if info is not None else None
    return score if isinstance(score, int) else None


def counted(rule: Adjudication, streaks: Streaks, seat: int, score: int | None, *, new_ground: bool) -> Streaks:
    """The streaks after a move of `seat`. A move without a score breaks its player's streaks, and that of being level.

    new_ground: the move cannot be taken back, in a game in which moves can be: what was said of earlier positions does
    not make this one level.
    """
    level, losing, winning = ((0, 0) if new_ground else streaks.level), streaks.losing, streaks.winning
    if rule.draw is not None:
        # one score that is not level restarts the count of both: they must agree at the same time
        level = _with(level, seat, level[seat] + 1) if score is not None and abs(score) <= rule.draw.score else (0, 0)
    if rule.resign is not None:
        least = rule.resign.score
        losing = _with(losing, seat, losing[seat] + 1 if score is not None and score <= -least else 0)
        winning = _with(winning, seat, winning[seat] + 1 if score is not None and score >= least else 0)
    return Streaks(level, losing, winning)


def _with(both: Pair, seat: int, value: int) -> Pair:
    return (value, both[1]) if seat == 0 else (both[0], value)


def verdict(rule: Adjudication, streaks: Streaks, moves_made: Pair, players: tuple[str, str]) -> Verdict | None:
    """How the match ends now, None if it goes on: lost by scores, else drawn by them, else too long.

    moves_made, players: by seat; players as sentences name them.
    """
    return (
        _resigned(rule.resign, streaks, players)
        or _drawn(rule.draw, streaks, min(moves_made))
        or _too_long(rule.maxmoves, min(moves_made))
    )


def _resigned(rule: ResignRule | None, streaks: Streaks, players: tuple[str, str]) -> Verdict | None:
    if rule is None:
        return None
    for loser in (0, 1):
        agreed = not rule.twosided or streaks.winning[1 - loser] >= rule.movecount
        if streaks.losing[loser] >= rule.movecount and agreed:
            reason = f"{players[loser]} judged its own position {-rule.score / 100:.2f} or worse"
            also = f", and {players[1 - loser]} its own {rule.score / 100:+.2f} or better" if rule.twosided else ""
            text = f"{reason} {_in_a_row(rule.movecount)}{also}"
            return Verdict(1 - loser, Ending.RESIGNED_BY_SCORES, text)
    return None


def _drawn(rule: DrawRule | None, streaks: Streaks, moves_made: int) -> Verdict | None:
    if rule is None or min(streaks.level) < rule.movecount or moves_made < rule.movenumber:
        return None
    reason = f"both players judged the game level within {rule.score / 100:.2f} {_in_a_row(rule.movecount)}"
    return Verdict(None, Ending.DRAWN_BY_SCORES, reason)


def _in_a_row(movecount: int) -> str:
    return f"{movecount} times in a row" if movecount > 1 else "once"


def _too_long(maxmoves: int, moves_made: int) -> Verdict | None:
    if not maxmoves or moves_made < maxmoves:
        return None
    return Verdict(None, Ending.MOVE_LIMIT, f"each player has made {_moves(maxmoves)}, as many as were agreed")


def complaint(rule: Adjudication, title: str, *, draws_possible: bool) -> str:
    """Why matches of the game with this title cannot be held by the rule, as a sentence; empty if they can."""
    if not draws_possible and (rule.draw is not None or rule.maxmoves):
        what = "a draw by scores" if rule.draw is not None else "a largest number of moves"
        return f"{title} knows no draw, so its matches cannot have {what}"
    if rule.draw is not None and rule.resign is not None and rule.draw.score >= rule.resign.score:
        level, lost = rule.draw.score, rule.resign.score
        return f"a score cannot be both level and lost: the draw's score ({level}) is below that of resigning ({lost})"
    return ""


def in_words(rule: Adjudication) -> str:
    """The rule as people read it: `drawn when both judge it level within 0.10 for 8 moves each, from move 40 on`."""
    clauses = []
    if (lost := rule.resign) is not None:
        also = f" and the opponent its own {lost.score / 100:+.2f} or better" if lost.twosided else ""
        worst = f"{-lost.score / 100:.2f} or worse{also}"
        clauses.append(f"lost when a player judges its position {worst} for {_moves(lost.movecount)}")
    if (level := rule.draw) is not None:
        begins = f", from move {level.movenumber} on" if level.movenumber else ""
        within = f"level within {level.score / 100:.2f}"
        clauses.append(f"drawn when both judge it {within} for {_moves(level.movecount)} each{begins}")
    if rule.maxmoves:
        clauses.append(f"drawn after {_moves(rule.maxmoves)} each")
    return "; ".join(clauses)


def _moves(number: int) -> str:
    return f"{number} moves" if number > 1 else "1 move"
