"""Two bots and the games they have played against each other."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import asdict

from tabiya.server.ratings.elo import Z95
from tabiya.server.ratings.meetings import Tally, meetings
from tabiya.server.standings import ALL_VERSIONS, StandingsCache
from tabiya.server.standings.compute import FittedStandings
from tabiya.server.standings.counters import Player
from tabiya.server.web.schemas.record_responses import EndingLine, Meetings
from tabiya.server.web.views.expected import expected_scores
from tabiya.server.web.views.matches import match_line
from tabiya.server.web.views.records import seat_lines
from tabiya.storage.records import BotRecord, GameFilter, GameResult
from tabiya.storage.store import Store

GAMES_EXAMINED = 200  # of their last games, for how they ended
MATCHES_SHOWN = 20


async def meetings_of(
    store: Store, standings: StandingsCache, game: str, first: BotRecord, second: BotRecord
) -> Meetings:
    """How two bots compare in one game. Raises StoreError."""
    found = await standings.fitted(game, ALL_VERSIONS)
    last = await _last_games(store, found, first, second) if first.id != second.id else ()
    records = [await store.match(each.match_id) for each in last[:MATCHES_SHOWN]]
    compared = found.head_to_head(first.name, second.name)
    games = compared.wins + compared.draws + compared.losses
    score, low, high = _score(compared.wins, compared.draws, games) if games else (None, None, None)
    expected = expected_scores(found, second.name, "")
    tallies = await asyncio.to_thread(_tallies, found, first.name, second.name)
    return Meetings(
        **asdict(compared),
        score=score,
        score_low=low,
        score_high=high,
        expected=next((row for row in expected.rows if row.bot == first.name), None) if expected else None,
        seats=seat_lines(game, tallies),
        endings=_endings(first.name, last),
        endings_of=len(last),
        matches=tuple(match_line(record) for record in records if record is not None),
    )


async def _last_games(
    store: Store, found: FittedStandings, first: BotRecord, second: BotRecord
) -> tuple[GameResult, ...]:
    """Looked for among the games of the one that has played less."""
    played = {row.bot: row.games for row in found.standings.rows}
    less, more = sorted((first, second), key=lambda bot: played.get(bot.name, 0))
    game = found.standings.game
    return await store.games_of_bot(GameFilter(bot_id=less.id, against=more.id, game=game, limit=GAMES_EXAMINED))


def _score(wins: int, draws: int, games: int) -> tuple[float, float, float]:
    """Points a game with their 95 % interval: of the mean, with one game won and one lost more, within 0 and 1."""
    score = (wins + draws / 2) / games
    more, points = games + 2, wins + 1 + draws / 2
    mean = points / more
    variance = (wins + 1 + draws / 4) / more - mean * mean
    half = Z95 * math.sqrt(variance / more)
    return round(score, 4), round(max(0.0, mean - half), 4), round(min(1.0, mean + half), 4)


def _tallies(found: FittedStandings, first: str, second: str) -> tuple[Tally, Tally]:
    one, two = Player(first, ""), Player(second, "")
    if one not in found.ratings.by_player:
        return Tally(), Tally()
    return meetings(found.results, found.ratings, one).get(two, (Tally(), Tally()))


def _endings(first: str, games: Iterable[GameResult]) -> tuple[EndingLine, ...]:
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for each in games:
        column = 1 if each.winner is None else 0 if each.bots[each.winner] == first else 2
        counts[each.ending][column] += 1
    ordered = sorted(counts.items(), key=lambda item: -sum(item[1]))
    return tuple(
        EndingLine(ending=ending, wins=won, draws=drawn, losses=lost) for ending, (won, drawn, lost) in ordered
    )
