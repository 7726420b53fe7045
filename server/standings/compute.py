"""Makes standings from counted results: the fit, the rows, and comparisons of two bots."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, zip_longest

from tabiya.server.ratings.fit import rate
from tabiya.server.ratings.pairs import Pairs
from tabiya.server.ratings.rating import Comparison, Rating, Ratings
from tabiya.server.ratings.results import GamesBetween, Results
from tabiya.server.standings.counters import Endings, Player, ResultCounters, View, no_endings
from tabiya.server.standings.models import (
    HeadToHead,
    PairCounts,
    Rated,
    Standings,
    StandingsRow,
    Superiority,
    TimeGames,
)

SHOWN_PAIRS = 3
SHOWN_TIMES = 50
SHOWN_NAMES, MAX_ANCHORS_COMPARED = 5, 20


@dataclass(frozen=True, slots=True)
class FittedStandings:
    """One view of the standings with what it was made of."""

    standings: Standings
    results: Results[Player]
    ratings: Ratings[Player]

    def superiority(self, most: int) -> Superiority:
        """The LOS matrix of the first rows, at most this many."""
        players = list(self.ratings.by_player)[:most]
        return Superiority(
            game=self.standings.game,
            bots=tuple(Rated(bot=player.bot, version=player.version) for player in players),
            matrix=tuple(map(tuple, self.ratings.superiorities(players))),
        )

    def head_to_head(self, first: str, second: str) -> HeadToHead:
        """How two bots compare, in a view of whole bots. Bots without a game here compare in nothing."""
        one, two = Player(first, ""), Player(second, "")
        between = self.results.between(one, two)
        known = {one, two} <= self.ratings.by_player.keys() and one != two
        compared = self.ratings.compare(one, two) if known else None
        return _head_to_head(self.standings.game, (first, second), between, compared)


def fit_standings(counters: ResultCounters, view: View) -> FittedStandings:
    """All ratings of a game; the counters must not change meanwhile."""
    results = counters.results_of(view)
    anchors = {player: elo for bot, elo in view.anchors for player in results.numbers if player.bot == bot}
    ratings, endings = rate(results, anchors), counters.endings_of(view)
    players = list(ratings.by_player)
    rows: list[StandingsRow] = []
    for player, after in zip_longest(players, players[1:]):
        rating = ratings.by_player[player]
        rank = rows[-1].rank + 1 if rows and rows[-1].pool == rating.pool + 1 else 1
        compared = ratings.compare(player, after) if after else None
        rows.append(_row(rank, player, rating, endings.get(player, no_endings()), compared))
    games, pairs = results.games(), results.pairs()
    won, lost, drawn = (int(games.counts[:, column].sum()) for column in range(3))
    standings = Standings(
        game=counters.game,
        games=won + lost + drawn,
        first_mover=ratings.first_mover,
        first_mover_plus_minus=ratings.first_mover_plus_minus,
        draw_rate=ratings.draw_rate,
        draw_rate_low=ratings.draw_rate_interval[0],
        draw_rate_high=ratings.draw_rate_interval[1],
        rows=tuple(rows),
        pooled=view.pooled,
        time=view.time or "",
        times=tuple(TimeGames(time=time, games=games) for time, games in counters.by_time.most_common(SHOWN_TIMES)),
        anchors=dict(view.anchors),
        pools=ratings.pools,
        pairs=int(pairs.counts.sum()),
        first_seat_wins=won,
        second_seat_wins=lost,
        drawn=drawn,
        notes=tuple(_notes(ratings, view, _anchor_conflicts(results, anchors, ratings))),
    )
    return FittedStandings(standings, results, ratings)


def _row(rank: int, player: Player, rating: Rating, endings: Endings, after: Comparison | None) -> StandingsRow:
    return StandingsRow(
        rank=rank,
        bot=player.bot,
        version=player.version,
        rating=rating.elo,
        plus_minus=rating.plus_minus,
        games=rating.games,
        wins=rating.wins,
        draws=rating.draws,
        losses=rating.losses,
        score=rating.score,
        lost_by=dict(endings.lost.most_common()),
        won_by=dict(endings.won.most_common()),
        drawn_by=dict(endings.drawn.most_common()),
        pool=rating.pool + 1,
        anchor=rating.anchor,
        performance=rating.performance,
        above_next=after.superiority if after else None,
        games_to_next=after.games_needed if after else None,
    )


def _anchor_conflicts(
    results: Results[Player], anchors: dict[Player, float], ratings: Ratings[Player]
) -> Iterator[str]:
    """A sentence if two anchors of a pool contradict their games, which distorts all other ratings."""
    held = [player for player in anchors if ratings.by_player[player].anchor]
    pools = Counter(ratings.by_player[player].pool for player in held)
    if not held or max(pools.values()) < 2:
        return
    free, worst, sentence = rate(results), 1.0, ""  # what the games say without any anchor
    for one, other in combinations(held[:MAX_ANCHORS_COMPARED], 2):
        compared, given = free.compare(one, other), anchors[one] - anchors[other]
        if compared and abs(compared.difference - given) > worst * compared.plus_minus:
            worst = abs(compared.difference - given) / compared.plus_minus
            measured = f"{compared.difference:+.0f} ± {compared.plus_minus:.0f}"
            sentence = f"The anchors contradict the games: {one.bot} is given {given:+.0f} Elo over {other.bot}, "
            sentence += f"their games say {measured}."
    if sentence:
        yield sentence


def _notes(ratings: Ratings[Player], view: View, strained: Iterable[str]) -> list[str]:
    """Sentences on what limits the table: pools, anchors without games or against them, pairs that met very often."""
    notes = list(strained)
    notes += [
        f"The {pair.games} games between {_called(pair.one)} and {_called(pair.other)} count as {pair.counted}: "
        "they met far more often than others here."
        for pair in ratings.bounded[:SHOWN_PAIRS]
    ]
    if ratings.pools > 1:
        notes.append(
            f"There are {ratings.pools} pools that no game connects: ratings of different pools cannot be compared."
        )
    played = {player.bot for player in ratings.by_player}
    missing = sorted(bot for bot, _ in view.anchors if bot not in played)
    if missing and ratings.by_player:
        named = ", ".join(missing[:SHOWN_NAMES]) + (" and others" if len(missing) > SHOWN_NAMES else "")
        notes.append(f"No game of {named} is rated here, so that this anchor holds nothing.")
    unheld = {rating.pool for rating in ratings.by_player.values()} - {
        row.pool for row in ratings.by_player.values() if row.anchor
    }
    if view.anchors and len(unheld) < ratings.pools and unheld:
        notes.append("A pool without an anchor has its average at 1500.")
    return notes


def _called(player: Player) -> str:
    return f"{player.bot} {player.version}".strip()


def _head_to_head(game: str, bots: tuple[str, str], between: GamesBetween, joint: Comparison | None) -> HeadToHead:
    return HeadToHead(
        game=game,
        first=bots[0],
        second=bots[1],
        wins=between.wins,
        draws=between.draws,
        losses=between.losses,
        pairs=_pair_counts(between.pairs) if between.pairs.number else None,
        difference=joint.difference if joint else None,
        plus_minus=joint.plus_minus if joint else None,
        superiority=joint.superiority if joint else None,
        games_needed=joint.games_needed if joint else None,
    )


def _pair_counts(pairs: Pairs) -> PairCounts:
    low, high = pairs.elo_interval
    return PairCounts(
        counts=pairs.counts,
        elo=_finite(pairs.elo),
        elo_low=_finite(low),
        elo_high=_finite(high),
        normalised_elo=_finite(pairs.normalised_elo),
        normalised_plus_minus=pairs.normalised_plus_minus,
        superiority=pairs.superiority,
        even=pairs.even,
        ratio=None if pairs.ratio is None else _finite(pairs.ratio),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
