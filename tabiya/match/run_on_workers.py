"""Playing a match on workers: gives out pairs, stores and counts the results, and ends the match.

A pair counts once, however often it was played: its games have their keys in the database, and none is stored twice.
Where a worker is lost the executor has its pair played again; where this process or the scheduler is lost, `--resume`
goes on with what the database has.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from msgspec.structs import replace

from tabiya.bots.client.events import Listener
from tabiya.games.endings import Ending
from tabiya.match.executors.spread import Spread
from tabiya.match.pairs import PlayedGame, PlayedPair
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.resume import ResumableRun
from tabiya.match.run import Progress
from tabiya.match.score import MatchScore
from tabiya.match.tally import OnGameOver, Tally, has_result
from tabiya.server.accounts.accounts import Accounts, NotAdmitted
from tabiya.server.config import ServerConfig
from tabiya.server.matches.factory import AGREED
from tabiya.storage.open import open_store
from tabiya.storage.records import BotRecord, MatchRecord, NewMatch, OpeningPly, ResultRecord, SeatRecord
from tabiya.storage.store import Store


async def play_on(
    spread: Spread,
    plan: MatchPlan,
    score: MatchScore,
    listener: Listener,
    progress: Progress = lambda score: None,
    on_game_over: OnGameOver = lambda number, record, moves: None,
) -> None:
    """Play the match with this executor; else as `tabiya.match.run.play`. progress: also called while nothing comes.

    Raises MatchFailed, GameError, StoreError.
    """
    store = await open_store(plan.database, exclusive=True)
    try:
        run = await ResumableRun.open(store, plan)
        match = SpreadMatch(plan, store, run, Tally(plan, score, on_game_over), listener)
        await match.load_earlier_games()
        async with aclosing(spread.pairs(plan, match.wanted())) as pairs:
            async for played in pairs:
                if played is not None:
                    await match.take(played)
                progress(score)
                if score.verdict:
                    break
    finally:
        await store.close()


class SpreadMatch:
    """One match whose pairs are played elsewhere."""

    def __init__(self, plan: MatchPlan, store: Store, run: ResumableRun, tally: Tally, listener: Listener) -> None:
        self._plan, self._store, self._run, self._tally, self._listener = plan, store, run, tally, listener
        self._accounts = Accounts(store, ServerConfig(), open_to_all=True)
        self._bots: dict[str, BotRecord] = {}  # by the name that they have where they play

    async def load_earlier_games(self) -> None:
        """Count the finished games of an earlier run, and abort its unfinished ones. Raises StoreError."""
        if not self._plan.resume:
            return
        score = self._tally.score
        async for number, record in self._run.stored_games(self._plan.game):
            if record.result is not None and has_result(record):
                score.names = _by_player(number, record.seats)
                self._tally.count(number, record, record.result, await self._store.moves(record.id))
                score.resumed += 1
            elif record.status == "running":
                await self._store.finish_match(_aborted(record))

    def wanted(self) -> list[int]:
        """The pairs still to be played; if only one game of a pair is stored, both are played again."""
        if self._tally.is_decided():
            return []
        games = self._tally.score.games
        return [pair for pair in range(self._plan.pairs) if not {2 * pair, 2 * pair + 1} <= games.keys()]

    async def take(self, played: PlayedPair) -> None:
        """Keep and count what is new in a pair. Raises StoreError."""
        for note in played.notes:
            self._listener(note.event)
        score = self._tally.score
        for number, game in enumerate(played.games, 2 * played.pair):
            if number not in score.games:
                await self._keep(number, game)
        score.names = self._names(played)
        score.deaths[:] = [before + more for before, more in zip(score.deaths, played.deaths, strict=True)]
        self._tally.is_decided()

    async def _keep(self, number: int, game: PlayedGame) -> None:
        record, seats = game.record, [await self._seat(seat) for seat in game.record.seats]
        opening = tuple(OpeningPly(seat=move.seat, text=move.text) for move in game.moves if move.opening)
        agreed = {name: getattr(record, name) for name in AGREED}
        new = NewMatch(**agreed | {"key": self._run.key(number), "seats": tuple(seats), "opening": opening})
        match_id = await self._store.create_match(new)
        moves = tuple(replace(move, match_id=match_id) for move in game.moves)
        assert record.result is not None
        result = replace(record.result, match_id=match_id)
        failure = None if game.failure is None else replace(game.failure, match_id=match_id)
        # in this order, and all in one transaction
        saves = [self._store.append_move(move) for move in moves if not move.opening]
        await asyncio.gather(*saves, self._store.finish_match(result, failure=failure))
        self._tally.count(number, replace(record, id=match_id, key=new.key, seats=new.seats), result, moves)

    async def _seat(self, seat: SeatRecord) -> SeatRecord:
        """The seat with the bot as this database knows it: made, or with a suffix where the name is another's."""
        if seat.bot not in self._bots:
            taken = {bot.name for bot in self._bots.values()}
            try:
                self._bots[seat.bot], _ = await self._accounts.admit(seat.bot, "", lambda name: name in taken)
            except NotAdmitted as error:
                raise MatchFailed(str(error)) from None
        bot = self._bots[seat.bot]
        return SeatRecord(bot_id=bot.id, bot=bot.name, version=seat.version)

    def _names(self, played: PlayedPair) -> tuple[str, str]:
        first, second = (self._bots[name].name if name in self._bots else name for name in played.names)
        return first, second


def _by_player(number: int, seats: tuple[SeatRecord, SeatRecord]) -> tuple[str, str]:
    first, second = seats if number % 2 == 0 else seats[::-1]
    return first.bot, second.bot


def _aborted(record: MatchRecord) -> ResultRecord:
    return ResultRecord(
        match_id=record.id,
        winner=None,
        ending=Ending.ABORTED,
        reason="the match was stopped while this game was stored",
        remaining_us=record.remaining_us,
        ended_at=record.created_at,
    )
