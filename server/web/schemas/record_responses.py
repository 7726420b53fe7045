"""Response models of the API about how bots did against each other; docs/reference/api.md is generated from them."""

from __future__ import annotations

from typing import Annotated

from tabiya.protocol.messages.fields import doc
from tabiya.server.standings import HeadToHead, StandingsRow
from tabiya.server.web.schemas.responses import MatchLine, Millis, ResponseModel


class ExpectedScore(ResponseModel, frozen=True, kw_only=True):
    """What one row of the standings is expected to score against the bot that was asked about."""

    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version; empty where all versions are rated as one.")]
    score: Annotated[float, doc("Points a game, 0 to 1.")]
    low: Annotated[float, doc("Lower end of the 95 % interval, as far as the two ratings are uncertain.")]
    high: Annotated[float, doc("Upper end.")]


class ExpectedScores(ResponseModel, frozen=True, kw_only=True):
    """Expected scores against one bot, by the fit of all games: draws and the worth of moving first are in them."""

    game: Annotated[str, doc("Name of the game.")]
    bot: Annotated[str, doc("Against whom.")]
    version: Annotated[str, doc("Its version; empty where all versions are rated as one.")]
    rows: Annotated[tuple[ExpectedScore, ...], doc("All others of its pool, the best first.")]


class Record(ResponseModel, frozen=True, kw_only=True):
    """Some rated games of a bot."""

    games: Annotated[int, doc("How many.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    score: Annotated[float, doc("Points a game, 0 to 1.")]


class ExpectedRecord(Record, frozen=True, kw_only=True):
    """The same beside what the fit of all games expects."""

    expected: Annotated[float, doc("Points a game that the ratings, the seats and draws let expect.")]


class SeatLine(ExpectedRecord, frozen=True, kw_only=True):
    """Its games with one seat."""

    seat: Annotated[int, doc("0 or 1.")]
    name: Annotated[str, doc("The game's word for the seat.")]


class OpponentLine(ExpectedRecord, frozen=True, kw_only=True):
    """Its games against one other bot with all its versions."""

    bot: Annotated[str, doc("Name of the other bot.")]
    rating: Annotated[float, doc("Its Elo.")]


class OpeningLine(Record, frozen=True, kw_only=True):
    """Its last games, rated or not, that began so."""

    start: Annotated[str, doc("The start position; empty for the usual one.")]
    moves: Annotated[tuple[str, ...], doc("The first moves in the game's notation.")]
    readable: Annotated[str, doc("The same as people write them.")]


class PerformanceWindow(ResponseModel, frozen=True, kw_only=True):
    """How well it played in some rated games in a row, the opponents taken as strong as they are now."""

    since: Annotated[float, doc("When the first of them ended.")]
    until: Annotated[float, doc("When the last of them ended.")]
    games: Annotated[int, doc("How many.")]
    version: Annotated[str, doc("Its version in the last of them.")]
    score: Annotated[float, doc("Points a game, 0 to 1.")]
    rating: Annotated[float, doc("The rating at which these points are those expected, in Elo.")]
    plus_minus: Annotated[float, doc("Half the width of its 95 % interval.")]


class ThinkingMove(ResponseModel, frozen=True, kw_only=True):
    """How long it thought about the move with this number in its last games."""

    move: Annotated[int, doc("Its own moves of a game, from 1.")]
    games: Annotated[int, doc("In how many games it made one.")]
    low_ms: Annotated[Millis, doc("One in ten was quicker.")]
    median_ms: Annotated[Millis, doc("Half of them were quicker.")]
    high_ms: Annotated[Millis, doc("One in ten took longer.")]


class BotInGame(ResponseModel, frozen=True, kw_only=True):
    """One bot in one game, in detail."""

    bot: Annotated[str, doc("Name of the bot.")]
    game: Annotated[str, doc("Name of the game.")]
    title: Annotated[str, doc("Its name for people.")]
    rating: Annotated[StandingsRow | None, doc("All versions as one in the standings; null without a rated game.")]
    versions: Annotated[tuple[StandingsRow, ...], doc("Each version for itself, the best first.")]
    seats: Annotated[tuple[SeatLine, ...], doc("By seat; empty without a rated game.")]
    opponents: Annotated[tuple[OpponentLine, ...], doc("By opponent, the strongest first.")]
    history: Annotated[
        tuple[PerformanceWindow, ...],
        doc("Its performance in the course of time; of very many games some evenly from the first to the last."),
    ]
    openings: Annotated[tuple[OpeningLine, ...], doc("Its last games by how they began, the most frequent first.")]
    openings_of: Annotated[int, doc("So many of the last games were looked at for `openings`.")]
    thinking: Annotated[tuple[ThinkingMove, ...], doc("Its time by the number of the move.")]
    thinking_of: Annotated[int, doc("So many of the last games were looked at for `thinking`.")]
    lost: Annotated[tuple[int, ...], doc("Numbers of the matches it lost last, the newest first.")]


class EndingLine(ResponseModel, frozen=True, kw_only=True):
    """How often games between two bots ended so."""

    ending: Annotated[str, doc("One word of the protocol's list of endings.")]
    wins: Annotated[int, doc("The first bot won so.")]
    draws: Annotated[int, doc("Drawn so.")]
    losses: Annotated[int, doc("The second bot won so.")]


class Meetings(HeadToHead, frozen=True, kw_only=True):
    """Two bots with all their versions, by their games against each other and by all games of the pool."""

    score: Annotated[float | None, doc("Points a game of the first in their rated games; null without one.")]
    score_low: Annotated[float | None, doc("Lower end of its 95 % interval, the games taken as independent.")]
    score_high: Annotated[float | None, doc("Upper end.")]
    expected: Annotated[ExpectedScore | None, doc("What the first is expected to score, by all games of the pool.")]
    seats: Annotated[tuple[SeatLine, ...], doc("Of the first, by its seat; empty without a game.")]
    endings: Annotated[tuple[EndingLine, ...], doc("How their last games ended, rated or not.")]
    endings_of: Annotated[int, doc("So many of the last games were looked at for `endings`.")]
    matches: Annotated[tuple[MatchLine, ...], doc("Their last matches that have ended, the newest first.")]
