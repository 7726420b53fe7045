"""One bot in one game in detail, read from a bounded number of its games."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isqrt
from typing import NamedTuple

from tabiya.games.errors import GameError
from tabiya.games.registry import load_game
from tabiya.server.ratings.meetings import Meeting, Tally, performance_of
from tabiya.server.standings import ALL_VERSIONS, StandingsCache
from tabiya.server.standings.compute import FittedStandings
from tabiya.server.standings.counters import Player
from tabiya.server.web.schemas.record_responses import BotInGame, OpeningLine, PerformanceWindow, ThinkingMove
from tabiya.server.web.views.matches import title_of
from tabiya.server.web.views.records import bot_lines, counted
from tabiya.storage.records import BotRecord, GameFilter, GameOpening, GameResult, MatchId, ThinkTime
from tabiya.storage.store import Store

LAST_GAMES = 500  # looked at for openings and lost games; the most that can be asked of the store at once
WINDOWS, WINDOW_GAMES, LEAST_GAMES = 24, 50, 10  # of the rating history: at most this many windows, of this many games
OPENING_PLIES, OPENINGS_SHOWN = 2, 12
TIMED_GAMES, MAX_TIMED_MOVES = 50, 120
LOST_SHOWN = 10
HISTORIES_KEPT = 128  # bots in games whose past is kept until they play again


Window = tuple[GameResult, ...]


class Sample(NamedTuple):
    """Windows evenly from the first game on, taken when `newest` was the last."""

    newest: MatchId
    windows: tuple[Window, ...]


class BotHistory(NamedTuple):
    """What is read of the games of a bot. sample: of one with very many games."""

    last: tuple[GameResult, ...]
    sample: Sample | None
    windows: tuple[Window, ...]
    openings: tuple[OpeningLine, ...]
    thinking: tuple[ThinkingMove, ...]


class BotGames:
    """Makes `BotInGame`. What it reads of the store it keeps until the bot's next game."""

    def __init__(self, store: Store, standings: StandingsCache) -> None:
        self._store, self._standings = store, standings
        self._kept: OrderedDict[tuple[int, str], BotHistory] = OrderedDict()

    async def in_game(self, bot: BotRecord, game: str) -> BotInGame:
        """The bot in one game of the registry. Raises StoreError."""
        pooled = await self._standings.fitted(game, ALL_VERSIONS)
        versions = tuple(row for row in (await self._standings.standings(game)).rows if row.bot == bot.name)
        past = await self._past(bot, game)
        seats, opponents = await asyncio.to_thread(bot_lines, pooled, bot.name)
        return BotInGame(
            bot=bot.name,
            game=game,
            title=title_of(game),
            rating=next((row for row in pooled.standings.rows if row.bot == bot.name), None),
            versions=versions,
            seats=seats,
            opponents=opponents,
            history=await asyncio.to_thread(history, pooled, bot.name, past.windows),
            openings=past.openings,
            openings_of=len(past.last),
            thinking=past.thinking,
            thinking_of=min(TIMED_GAMES, len(past.last)),
            lost=tuple(each.match_id for each in past.last if lost(each, bot.name))[:LOST_SHOWN],
        )

    async def _past(self, bot: BotRecord, game: str) -> BotHistory:
        key = bot.id, game
        newest = await self._store.games_of_bot(GameFilter(bot_id=bot.id, game=game, limit=1))
        kept = self._kept.get(key)
        if kept is None or kept.last[:1] != newest:
            kept = self._kept[key] = await self._read(bot, game, kept.sample if kept else None)
        self._kept.move_to_end(key)
        while len(self._kept) > HISTORIES_KEPT:
            self._kept.popitem(last=False)
        return kept

    async def _read(self, bot: BotRecord, game: str, sample: Sample | None) -> BotHistory:
        last = await self._store.games_of_bot(GameFilter(bot_id=bot.id, game=game, limit=LAST_GAMES))
        ids = [each.match_id for each in last]
        began = await self._store.game_openings(ids, OPENING_PLIES)
        times = await self._store.think_times(ids[:TIMED_GAMES])
        if len(last) < LAST_GAMES:
            sample = None
        elif sample is None or sample.newest not in ids[:WINDOW_GAMES]:  # kept until a window more is played
            sample = await self._sampled(bot, game, last[0].match_id)
        return BotHistory(
            last,
            sample,
            windows(last, sample),
            await asyncio.to_thread(openings, game, bot.name, last, began),
            thinking(bot.name, last[:TIMED_GAMES], times),
        )

    async def _sampled(self, bot: BotRecord, game: str, newest: MatchId) -> Sample:
        """Windows evenly over the numbers of the matches."""
        [oldest] = await self._store.games_of_bot(GameFilter(bot_id=bot.id, game=game, oldest_first=True, limit=1))
        step = (newest - oldest.match_id) / (WINDOWS - 1)
        found, seen = [], set[MatchId]()
        for place in range(WINDOWS - 1):
            after = MatchId(oldest.match_id - 1 + int(place * step))
            wanted = GameFilter(bot_id=bot.id, game=game, after=after, oldest_first=True, limit=WINDOW_GAMES)
            games = [each for each in await self._store.games_of_bot(wanted) if each.match_id not in seen]
            seen.update(each.match_id for each in games)
            found.append(tuple(each for each in games if each.rated))
        return Sample(newest, tuple(found))


def windows(last: Sequence[GameResult], sample: Sample | None) -> tuple[Window, ...]:
    """All games in windows; of very many, those of the sample and the last games."""
    rated = [each for each in last if each.rated][::-1]
    if sample is None:
        number = max(1, min(WINDOWS, isqrt(len(rated) // 2)))  # more games: more windows, and larger ones
        bounds = [len(rated) * place // number for place in range(number + 1)]
        return tuple(tuple(rated[start:end]) for start, end in pairwise(bounds) if end > start)
    seen = {each.match_id for window in sample.windows for each in window}
    newest = tuple(each for each in rated[-WINDOW_GAMES:] if each.match_id not in seen)
    return tuple(window for window in (*sample.windows, newest) if len(window) >= LEAST_GAMES)


def seat_of(result: GameResult, bot: str) -> int:
    """Which seat the bot had."""
    return 0 if result.bots[0] == bot else 1


def lost(result: GameResult, bot: str) -> bool:
    """Whether the bot lost this game, not against itself."""
    return result.winner is not None and result.bots[1 - result.winner] == bot != result.bots[result.winner]


def history(found: FittedStandings, bot: str, played: Sequence[Window]) -> tuple[PerformanceWindow, ...]:
    """The performance in each window."""
    lines = (_window(found, bot, window) for window in played)
    return tuple(line for line in lines if line is not None)


def _window(found: FittedStandings, bot: str, window: Sequence[GameResult]) -> PerformanceWindow | None:
    games, rated = [], found.ratings.by_player
    for each in window:
        seat = seat_of(each, bot)
        other = rated.get(Player(each.bots[1 - seat], ""))
        if other is not None and each.bots[1 - seat] != bot:
            points = 0.5 if each.winner is None else float(each.winner == seat)
            games.append(Meeting(other.elo, seat, points))
    if not games:
        return None
    rating, half = performance_of(found.ratings, games)
    return PerformanceWindow(
        since=window[0].ended_at,
        until=window[-1].ended_at,
        games=len(games),
        version=window[-1].versions[seat_of(window[-1], bot)],
        score=round(sum(each.points for each in games) / len(games), 4),
        rating=round(rating, 1),
        plus_minus=round(half, 1),
    )


def openings(
    game: str, bot: str, last: Sequence[GameResult], began: Mapping[MatchId, GameOpening]
) -> tuple[OpeningLine, ...]:
    """The most frequent ways in which games began, with what the bot made of them."""
    tallies: defaultdict[GameOpening, Tally] = defaultdict(Tally)
    for each in last:
        opening = began.get(each.match_id)
        if opening is not None and each.bots[0] != each.bots[1]:
            won = each.winner is not None and not lost(each, bot)
            tallies[opening] = tallies[opening].plus(Tally(won, each.winner is None, lost(each, bot)))
    frequent = sorted(tallies.items(), key=lambda item: -item[1].games)[:OPENINGS_SHOWN]
    usual = load_game(game).start().text()
    return tuple(
        OpeningLine(
            start="" if opening.start_text == usual else opening.start_text,
            moves=opening.moves,
            readable=_readable(game, opening),
            **counted(tally),
        )
        for opening, tally in frequent
    )


def _readable(game: str, opening: GameOpening) -> str:
    rules, written = load_game(game), []
    try:
        position = rules.parse(opening.start_text)
        for move in opening.moves:
            written.append(rules.readable_move(position, move))
            position = position.play(move)
    except GameError:
        return " ".join(opening.moves)
    return " ".join(written)


def thinking(
    bot: str, games: Sequence[GameResult], times: Mapping[MatchId, Sequence[ThinkTime]]
) -> tuple[ThinkingMove, ...]:
    """Its thinking time by the number of its move."""
    by_move: defaultdict[int, list[int]] = defaultdict(list)
    for each in games:
        seat = seat_of(each, bot)
        own = [time.think_us for time in times.get(each.match_id, ()) if time.seat == seat]
        for number, think_us in enumerate(own[:MAX_TIMED_MOVES], 1):
            by_move[number].append(think_us)
    return tuple(_thinking_move(number, sorted(found)) for number, found in sorted(by_move.items()))


def _thinking_move(number: int, ordered: list[int]) -> ThinkingMove:
    low, median, high = (round(ordered[int(share * (len(ordered) - 1))] / 1_000, 3) for share in (0.1, 0.5, 0.9))
    return ThinkingMove(move=number, games=len(ordered), low_ms=low, median_ms=median, high_ms=high)
