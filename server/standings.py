"""Standings: ratings per game over all rated games, each version of a bot for itself, and how games were lost.

    table = await read_standings(store, "some game")          # once, as the command line does
    book = StandingsBook(store); table = await book.of(game)  # on a server: reads only what is new

The fit runs in a thread, so that no clock waits for it, and one fit at a time per game.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from typing import Annotated, NamedTuple

from msgspec import Struct

from protocol.messages.fields import doc
from server.core.ratings.fit import rate
from server.core.ratings.rating import Rating
from server.core.ratings.results import RatedGame
from storage.records import GameResult
from storage.store import Store

PAGE = 4_000  # results read at once
PATIENCE = 10  # a fit that took t seconds is shown for up to t * PATIENCE seconds more ...
QUICK_S = 0.2  # ... unless it was quicker than this


class Player(NamedTuple):
    """One version of a bot."""

    bot: str
    version: str


class StandingsRow(Struct, frozen=True, kw_only=True):
    """One version of a bot in the standings of a game."""

    rank: Annotated[int, doc("From 1.")]
    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version; each is rated for itself.")]
    rating: Annotated[float, doc("Elo around 1500.")]
    plus_minus: Annotated[float, doc("Half the width of the 95 % interval of the rating.")]
    games: Annotated[int, doc("Rated games with a result.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    score: Annotated[float, doc("Points per game, 0 to 1.")]
    lost_by: Annotated[dict[str, int], doc("Ending -> how many games were lost so, the most frequent first.")]


class Standings(Struct, frozen=True, kw_only=True):
    """The standings of one game."""

    game: Annotated[str, doc("Name of the game.")]
    games: Annotated[int, doc("Rated games counted.")]
    first_mover: Annotated[float, doc("Advantage of the first seat in Elo.")]
    draw_rate: Annotated[float, doc("Expected share of draws between equals, 0 to 1.")]
    rows: Annotated[tuple[StandingsRow, ...], doc("Best first.")]


class _Tally:
    """All that the standings need of the results seen so far; `seen` is the highest number of them."""

    def __init__(self, game: str) -> None:
        self.game, self.seen = game, 0
        self.games: Counter[RatedGame[Player]] = Counter()
        self.lost_by: defaultdict[Player, Counter[str]] = defaultdict(Counter)

    def add(self, result: GameResult) -> None:
        """Count one more finished game."""
        first, second = map(Player, result.bots, result.versions)
        self.seen = max(self.seen, result.number)
        self.games[RatedGame(first, second, result.winner)] += 1
        if result.winner is not None and first != second:
            self.lost_by[(second, first)[result.winner]][result.ending] += 1


async def read_standings(store: Store, game: str) -> Standings:
    """The standings as of now, from all stored results. Raises StoreError."""
    return await StandingsBook(store).of(game)


class StandingsBook:
    """The standings of every game, kept up to date by what is new in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pages: dict[str, _Page] = {}

    async def of(self, game: str) -> Standings:
        """The standings of a game; of one that nobody has played they are empty. Raises StoreError."""
        page = self._pages.get(game)
        if page is None:
            page = self._pages[game] = _Page(self._store, game)
        return await page.current()


class _Page:
    """The standings of one game."""

    def __init__(self, store: Store, game: str) -> None:
        self._store = store
        self._tally = _Tally(game)
        self._fitted = Standings(game=game, games=0, first_mover=0.0, draw_rate=0.0, rows=())
        self._fitted_seen, self._good_until = 0, 0.0
        self._lock = asyncio.Lock()

    async def current(self) -> Standings:
        """Read what is new and fit again if there was anything."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._good_until:
            return self._fitted
        async with self._lock:
            await self._read()
            if self._tally.seen != self._fitted_seen:
                began = loop.time()
                self._fitted = await asyncio.to_thread(_fit, self._tally)
                self._fitted_seen = self._tally.seen
                took = loop.time() - began
                self._good_until = loop.time() + (PATIENCE * took if took > QUICK_S else 0.0)
            return self._fitted

    async def _read(self) -> None:
        while True:
            results = await self._store.results(self._tally.game, after=self._tally.seen, limit=PAGE)
            for result in results:
                self._tally.add(result)
            if len(results) < PAGE:
                return


def _fit(tally: _Tally) -> Standings:
    """All ratings of a game from its tally; nobody adds to the tally meanwhile."""
    ratings = rate(tally.games.elements())
    rows = tuple(
        _row(rank, player, rating, tally.lost_by[player] if player in tally.lost_by else Counter())
        for rank, (player, rating) in enumerate(ratings.of.items(), 1)
    )
    return Standings(
        game=tally.game,
        games=sum(row.games for row in rows) // 2,
        first_mover=ratings.first_mover,
        draw_rate=ratings.draw_rate,
        rows=rows,
    )


def _row(rank: int, player: Player, rating: Rating, lost_by: Counter[str]) -> StandingsRow:
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
        lost_by=dict(lost_by.most_common()),
    )
