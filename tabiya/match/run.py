"""Playing a match at one table: games seated one after the other, several at once if wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

from tabiya.bots.client.events import Listener
from tabiya.match.openings import opening_of, openings_of
from tabiya.match.plan import MatchPlan
from tabiya.match.resume import ResumableRun
from tabiya.match.score import MatchScore
from tabiya.match.table import ParticipantFactory, Table, open_table
from tabiya.match.tally import OnGameOver, Tally, has_result

Progress = Callable[[MatchScore], None]


async def play(
    plan: MatchPlan,
    score: MatchScore,
    listener: Listener,
    progress: Progress = lambda score: None,
    on_game_over: OnGameOver = lambda number, record, moves: None,
    participant_factory: ParticipantFactory | None = None,
) -> None:
    """Play the match; `score` fills while it goes on, and holds what there is when it is cancelled.

    listener: called with the bots' events.  participant_factory: makes the players, for others than the PLAYER grammar
    knows.  Raises MatchFailed, ClientError, GameError, PlayerError, StoreError, the server's StartError
    (server/transport/listening.py) and what a player's own start raises.
    """
    async with open_table(plan, listener, participant_factory) as table:
        run = await ResumableRun.open(table.store, plan)
        runner = MatchRunner(plan, table, run, Tally(plan, score, on_game_over), progress)
        # before anybody joins: what an earlier run left running goes on when both are there, and may end at once
        await runner.load_earlier_games()
        await table.join()
        await runner.play()


class MatchRunner:
    """Seats the games of one match and counts their results."""

    def __init__(self, plan: MatchPlan, table: Table, run: ResumableRun, tally: Tally, progress: Progress) -> None:
        self._plan, self._table, self._run, self._tally, self._progress = plan, table, run, tally, progress
        openings_of(plan)  # what is wrong with those given is said before anybody is there
        self._running: dict[int, str] = {}  # games that go on after a restart: number -> key

    async def load_earlier_games(self) -> None:
        """Count the finished games of an earlier run, and take over its running ones. Raises StoreError."""
        if not self._plan.resume:
            return
        store = self._table.store
        async for number, record in self._run.stored_games(self._plan.game):
            if record.result is not None and has_result(record):
                self._tally.count(number, record, record.result, await store.moves(record.id))
                self._tally.score.resumed += 1
            elif record.status == "running":
                self._table.expect(record.key)
                self._running[number] = record.key

    async def play(self) -> None:
        """Play each opening twice. What runs when it is cancelled is aborted, so that no database keeps it running."""
        score, table = self._tally.score, self._table
        score.names = table.names
        games = 0 if self._tally.is_decided() else self._plan.games
        # one iterator for all slots: none waits between taking a number and owning it, so no game is played twice
        numbers = (number for number in range(games) if number not in score.games)
        slots = [asyncio.create_task(self._play_on(numbers)) for _ in range(self._plan.concurrency)]
        work: asyncio.Future[list[None]] = asyncio.gather(*slots)
        try:
            with suppress(_TestDecided):
                await table.unless_failed(work)
        finally:
            for task in slots:
                task.cancel()
            await asyncio.gather(*slots, work, return_exceptions=True)
            await table.abort()  # behind the slots, which could begin another game
            score.deaths[:] = table.deaths

    async def _play_on(self, numbers: Iterator[int]) -> None:
        for number in numbers:
            # a game that goes on after a restart is not begun again
            key = self._running.pop(number, None) or await self._begin(number)
            record, result = await self._table.game_over(key)
            self._tally.count(number, record, result, await self._table.store.moves(record.id))
            self._progress(self._tally.score)
            if self._tally.is_decided():
                raise _TestDecided

    async def _begin(self, number: int) -> str:
        key = self._run.key(number)
        await self._table.begin(number, key, opening_of(self._plan, number))
        return key


class _TestDecided(Exception):
    """The sequential test has come to its verdict."""
