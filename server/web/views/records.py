"""Records for people: games won, drawn and lost beside what was expected, by seat, by opponent, by version."""

from __future__ import annotations

from typing import Any

from tabiya.games.registry import load_game
from tabiya.server.ratings.meetings import Tally, meetings
from tabiya.server.standings.compute import FittedStandings
from tabiya.server.standings.counters import Player
from tabiya.server.web.schemas.record_responses import OpponentLine, SeatLine


def counted(tally: Tally) -> dict[str, Any]:
    """The fields of a `Record`."""
    games = tally.games or 1
    score = (tally.wins + tally.draws / 2) / games
    return {
        "games": tally.games,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": round(score, 4),
    }


def _with_expected(tally: Tally) -> dict[str, Any]:
    return counted(tally) | {"expected": round(tally.expected / (tally.games or 1), 4)}


def seat_lines(game: str, tallies: tuple[Tally, Tally]) -> tuple[SeatLine, ...]:
    """Games by seat; empty without one."""
    if not any(tally.games for tally in tallies):
        return ()
    named = enumerate(zip(load_game(game).seat_names, tallies, strict=True))
    return tuple(SeatLine(seat=seat, name=name, **_with_expected(tally)) for seat, (name, tally) in named)


def bot_lines(found: FittedStandings, bot: str) -> tuple[tuple[SeatLine, ...], tuple[OpponentLine, ...]]:
    """A bot's games by seat and by opponent, in a view of whole bots; empty if it has none."""
    player = Player(bot, "")
    rated = found.ratings.by_player
    if player not in rated:
        return (), ()
    met = meetings(found.results, found.ratings, player)
    by_seat = [Tally(), Tally()]
    for tallies in met.values():
        by_seat = [one.plus(more) for one, more in zip(by_seat, tallies, strict=True)]
    opponents = [
        OpponentLine(bot=other.bot, rating=round(rated[other].elo, 1), **_with_expected(first.plus(second)))
        for other, (first, second) in met.items()
    ]
    opponents.sort(key=lambda line: -line.rating)
    return seat_lines(found.standings.game, (by_seat[0], by_seat[1])), tuple(opponents)
