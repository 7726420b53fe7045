"""Response models for the results of bots against each other; docs/reference/api.md is generated from them."""

from __future__ import annotations

from typing import Annotated

from tabiya.protocol.messages.fields import doc
from tabiya.server.standings import HeadToHead, StandingsRow
from tabiya.server.web.schemas.responses import MatchLine, Millis, ResponseModel


class ExpectedScore(ResponseModel, frozen=True, kw_only=True):
    """Expected score of one row of the standings against the given bot."""

    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version; empty if all versions are rated together.")]
    score: Annotated[float, doc("Points per game, 0 to 1.")]
    low: Annotated[float, doc("Lower end of the 95 % interval, from the uncertainty of the two ratings.")]
    high: Annotated[float, doc("Upper end.")]


class ExpectedScores(ResponseModel, frozen=True, kw_only=True):
    """Expected scores against one bot, from all games, with draws and the first-mover advantage."""

    game: Annotated[str, doc("Name of the game.")]
    bot: Annotated[str, doc("The opponent.")]
    version: Annotated[str, doc("Its version; empty if all versions are rated together.")]
    rows: Annotated[tuple[ExpectedScore, ...], doc("All others of its pool, best first.")]


class Record(ResponseModel, frozen=True, kw_only=True):
    """Some rated games of a bot."""

    games: Annotated[int, doc("How many.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    score: Annotated[float, doc("Points per game, 0 to 1.")]


class ExpectedRecord(Record, frozen=True, kw_only=True):
    """The same, with the score expected from all games."""

    expected: Annotated[float, doc("Points per game expected from ratings, seats and draws.")]


class SeatLine(ExpectedRecord, frozen=True, kw_only=True):
    """Its games in one seat."""

    seat: Annotated[int, doc("0 or 1.")]
    name: Annotated[str, doc("The game's word for the seat.")]


class OpponentLine(ExpectedRecord, frozen=True, kw_only=True):
    """Its games against one other bot, all versions."""

    bot: Annotated[str, doc("Name of the other bot.")]
    rating: Annotated[float, doc("Its Elo.")]


class OpeningLine(Record, frozen=True, kw_only=True):
    """Its last games with these first moves, rated or not."""

    start: Annotated[str, doc("The start position; empty for the usual start.")]
    moves: Annotated[tuple[str, ...], doc("The first moves in the game's notation.")]
    readable: Annotated[str, doc("The same as written for people.")]


class PerformanceWindow(ResponseModel, frozen=True, kw_only=True):
    """Performance in consecutive rated games, with the opponents' present ratings."""

    since: Annotated[float, doc("When the first of them ended.")]
    until: Annotated[float, doc("When the last of them ended.")]
    games: Annotated[int, doc("How many.")]
    version: Annotated[str, doc("Its version in the last of them.")]
    score: Annotated[float, doc("Points per game, 0 to 1.")]
    rating: Annotated[float, doc("The rating whose expected points equal these points, in Elo.")]
    plus_minus: Annotated[float, doc("Half the width of its 95 % interval.")]


class ThinkingMove(ResponseModel, frozen=True, kw_only=True):
    """Thinking times for the move with this number in its last games."""

    move: Annotated[int, doc("Number among its own moves, from 1.")]
    games: Annotated[int, doc("Number of games with such a move.")]
    low_ms: Annotated[Millis, doc("10 % were faster.")]
    median_ms: Annotated[Millis, doc("50 % were faster.")]
    high_ms: Annotated[Millis, doc("10 % were slower.")]


class BotInGame(ResponseModel, frozen=True, kw_only=True):
    """One bot in one game, in detail."""

    bot: Annotated[str, doc("Name of the bot.")]
    game: Annotated[str, doc("Name of the game.")]
    title: Annotated[str, doc("Display name.")]
    rating: Annotated[StandingsRow | None, doc("All versions together in the standings; null without a rated game.")]
    versions: Annotated[tuple[StandingsRow, ...], doc("Each version, best first.")]
    seats: Annotated[tuple[SeatLine, ...], doc("By seat; empty without a rated game.")]
    opponents: Annotated[tuple[OpponentLine, ...], doc("By opponent, strongest first.")]
    history: Annotated[
        tuple[PerformanceWindow, ...],
        doc("Its performance over time; of very many games, evenly spread samples."),
    ]
    openings: Annotated[tuple[OpeningLine, ...], doc("Its last games by first moves, most frequent first.")]
    openings_of: Annotated[int, doc("Number of last games used for `openings`.")]
    thinking: Annotated[tuple[ThinkingMove, ...], doc("Its time by move number.")]
    thinking_of: Annotated[int, doc("Number of last games used for `thinking`.")]
    lost: Annotated[tuple[int, ...], doc("Numbers of its last lost matches, newest first.")]


class EndingLine(ResponseModel, frozen=True, kw_only=True):
    """How often games between two bots had this ending."""

    ending: Annotated[str, doc("From the protocol's list of endings.")]
    wins: Annotated[int, doc("Won by the first bot.")]
    draws: Annotated[int, doc("Drawn.")]
    losses: Annotated[int, doc("Won by the second bot.")]


class Meetings(HeadToHead, frozen=True, kw_only=True):
    """Two bots, all versions, compared by their own games and by all games of the pool."""

    score: Annotated[float | None, doc("Points per game of the first bot in their rated games; null without games.")]
    score_low: Annotated[float | None, doc("Lower end of its 95 % interval, with games as independent.")]
    score_high: Annotated[float | None, doc("Upper end.")]
    expected: Annotated[ExpectedScore | None, doc("Expected score of the first bot, from all games of the pool.")]
    seats: Annotated[tuple[SeatLine, ...], doc("The first bot by seat; empty without games.")]
    endings: Annotated[tuple[EndingLine, ...], doc("Endings of their last games, rated or not.")]
    endings_of: Annotated[int, doc("Number of last games used for `endings`.")]
    matches: Annotated[tuple[MatchLine, ...], doc("Their last finished matches, newest first.")]
