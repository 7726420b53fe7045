"""The standings as frozen structs, for the API and the command line."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from tabiya.protocol.messages.fields import doc


class StandingsRow(Struct, frozen=True, kw_only=True):
    """One version of a bot, or one bot with all its versions, in the standings of a game."""

    rank: Annotated[int, doc("Rank in its pool, from 1.")]
    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version; empty if all versions are rated together.")]
    rating: Annotated[float, doc("Elo; the average of a pool is 1500, unless it has anchors.")]
    plus_minus: Annotated[float, doc("Half the width of the 95 % interval of the rating.")]
    games: Annotated[int, doc("Rated games with a result.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    score: Annotated[float, doc("Points per game, 0 to 1.")]
    lost_by: Annotated[dict[str, int], doc("Ending -> number of lost games, most frequent first.")]
    won_by: Annotated[dict[str, int], doc("Ending -> number of won games.")] = {}
    drawn_by: Annotated[dict[str, int], doc("Ending -> number of drawn games.")] = {}
    pool: Annotated[int, doc("Number of its pool, from 1: those connected by games. No comparison across pools.")] = 1
    anchor: Annotated[bool, doc("Whether its rating is fixed by the operator.")] = False
    performance: Annotated[
        float | None, doc("The rating whose expected score equals its score; null for a score of 0 or 100 %.")
    ] = None
    above_next: Annotated[float | None, doc("Probability that it is better than the next bot in its pool, 0 to 1.")] = (
        None
    )
    games_to_next: Annotated[
        int | None,
        doc("Further games against the next bot to tell the two apart; 0 if none are needed, null beyond a million."),
    ] = None


class TimeGames(Struct, frozen=True, kw_only=True):
    """A time control of a game."""

    time: Annotated[str, doc("The time control.")]
    games: Annotated[int, doc("Rated games with it.")]


class Standings(Struct, frozen=True, kw_only=True):
    """The standings of one game."""

    game: Annotated[str, doc("Name of the game.")]
    games: Annotated[int, doc("Rated games counted.")]
    first_mover: Annotated[float, doc("Advantage of the first seat in Elo.")]
    draw_rate: Annotated[float, doc("Expected share of draws between equal players, 0 to 1.")]
    rows: Annotated[tuple[StandingsRow, ...], doc("Pool after pool, best first.")]
    pooled: Annotated[bool, doc("Whether all versions of a bot are rated together.")] = False
    time: Annotated[str, doc("Time control of the counted games; empty: all.")] = ""
    times: Annotated[tuple[TimeGames, ...], doc("Time controls of the game, by number of games, at most 50.")] = ()
    anchors: Annotated[dict[str, float], doc("Bot -> its fixed rating.")] = {}
    pools: Annotated[int, doc("Number of pools: groups without games between them.")] = 0
    pairs: Annotated[int, doc("Pairs of games from one opening with seats swapped.")] = 0
    first_mover_plus_minus: Annotated[float, doc("Half the width of its 95 % interval.")] = 0.0
    draw_rate_low: Annotated[float, doc("Lower end of the 95 % interval of the draw rate.")] = 0.0
    draw_rate_high: Annotated[float, doc("Upper end.")] = 0.0
    first_seat_wins: Annotated[int, doc("Games that the first seat won.")] = 0
    second_seat_wins: Annotated[int, doc("Games that the second seat won.")] = 0
    drawn: Annotated[int, doc("Games drawn.")] = 0
    notes: Annotated[tuple[str, ...], doc("Notes about the table.")] = ()


class Rated(Struct, frozen=True, kw_only=True):
    """A rated version of a bot."""

    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version; empty if all versions are rated together.")]


class Superiority(Struct, frozen=True, kw_only=True):
    """The LOS matrix: the probability that each bot is better than each other."""

    game: Annotated[str, doc("Name of the game.")]
    bots: Annotated[tuple[Rated, ...], doc("Rows and columns, in the order of the standings.")]
    matrix: Annotated[
        tuple[tuple[float | None, ...], ...],
        doc("matrix[i][j]: probability that i is better than j, 0 to 1; null for itself and across pools."),
    ]


class PairCounts(Struct, frozen=True, kw_only=True):
    """Pairs of games from one opening with seats swapped, and their result alone. Infinite Elo are null."""

    counts: Annotated[tuple[int, int, int, int, int], doc("Pairs by the first bot's points: 0, ½, 1, 1½, 2.")]
    elo: Annotated[float | None, doc("Difference in Elo.")]
    elo_low: Annotated[float | None, doc("Lower end of its 95 % interval.")]
    elo_high: Annotated[float | None, doc("Upper end.")]
    normalised_elo: Annotated[float | None, doc("Difference in units of the spread of results.")]
    normalised_plus_minus: Annotated[float, doc("Half the width of its 95 % interval.")]
    superiority: Annotated[float, doc("How likely the first bot is better, 0 to 1.")]
    even: Annotated[float, doc("Share of pairs that ended one to one.")]
    ratio: Annotated[float | None, doc("Pairs won to pairs lost; null without a lost one.")]


class HeadToHead(Struct, frozen=True, kw_only=True):
    """Two bots, all versions, compared by their own games and by all games of the pool."""

    game: Annotated[str, doc("Name of the game.")]
    first: Annotated[str, doc("Name of the first bot.")]
    second: Annotated[str, doc("Name of the second bot.")]
    wins: Annotated[int, doc("Games against each other that the first won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games that the second won.")]
    pairs: Annotated[PairCounts | None, doc("What their pairs alone say; null without any.")]
    difference: Annotated[float | None, doc("Difference of their ratings, by all games; null across pools.")]
    plus_minus: Annotated[float | None, doc("Half the width of its 95 % interval.")]
    superiority: Annotated[float | None, doc("How likely the first is better, by all games, 0 to 1.")]
    games_needed: Annotated[
        int | None,
        doc("Games still needed between the two to tell them apart; 0 if they are, null beyond a million."),
    ]
