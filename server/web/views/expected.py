"""Response models of expected scores."""

from __future__ import annotations

from tabiya.server.ratings.expected import expected_against
from tabiya.server.standings.compute import FittedStandings
from tabiya.server.web.schemas.record_responses import ExpectedScore, ExpectedScores

DIGITS = 4


def expected_scores(found: FittedStandings, bot: str, version: str) -> ExpectedScores | None:
    """What all others are expected to score against a row of the standings; None if it is not in them.

    Without a version it is the bot's best one.
    """
    rated = found.ratings.by_player
    player = next((each for each in rated if each.bot == bot and (not version or each.version == version)), None)
    if player is None:
        return None
    rows = tuple(
        ExpectedScore(
            bot=other.bot,
            version=other.version,
            score=round(expected.score, DIGITS),
            low=round(expected.low, DIGITS),
            high=round(expected.high, DIGITS),
        )
        for other, expected in expected_against(found.ratings, player).items()
    )
    return ExpectedScores(game=found.standings.game, bot=player.bot, version=player.version, rows=rows)
