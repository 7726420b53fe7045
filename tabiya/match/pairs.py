"""Plays pairs of games one at a time, each at a table of this process; every executor uses this.

A table stays open for the next pair of the same plan, so that a pair costs no start; one that nobody wants is closed.
Numbers of games, and with them the players' chance, come from the pair's number: a pair is the same wherever it is
played, if time does not decide, and when it is played again.
"""

from __future__ import annotations

import asyncio
import traceback
from contextlib import AsyncExitStack
from dataclasses import replace

from msgspec import Struct, structs

from tabiya.bots.client.errors import ClientError
from tabiya.bots.client.events import BotError, Disconnected, Event, MoveOverdue, Note
from tabiya.bots.client.failure import ProgramFailure
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.pool.spare_workers import SpareWorkers
from tabiya.games.errors import GameError
from tabiya.games.openings import Opening
from tabiya.match.openings import opening_of
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.table import Table, open_table
from tabiya.server.matches.pair_keys import pair_key, place_in_run
from tabiya.server.transport.listening import StartError
from tabiya.storage.errors import StoreError
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.records import FailureRecord, MatchId, MatchRecord, MoveRecord

IDLE_S = 30.0  # a table that is unused this long is closed
MOST_NOTES = 50  # of one pair
PairOpenings = tuple[Opening, Opening]
"""Of the pair's two games, the same one as a rule."""
FAILURES = (ClientError, GameError, MatchFailed, PlayerError, StartError, StoreError)
"""What ends a match and is no bug: the text is a sentence for a person."""


def pair_openings(plan: MatchPlan, pair: int) -> PairOpenings:
    """The openings of a pair's games. Raises GameError."""
    return opening_of(plan, 2 * pair), opening_of(plan, 2 * pair + 1)


class PairNote(Struct, frozen=True):
    """Something that the bots' author must know.  failure: of the program; text is then what happens now."""

    text: str
    failure: ProgramFailure | None = None

    @property
    def event(self) -> Event:
        """The note as the event that a bot's listener gets."""
        return Note(self.text) if self.failure is None else BotError(self.failure, self.text)


class PlayedGame(Struct, frozen=True):
    """A game that is over. Its id is its number and one, its key and the ids of its bots are of no use to others."""

    record: MatchRecord
    moves: tuple[MoveRecord, ...]
    failure: FailureRecord | None = None


class PlayedPair(Struct, frozen=True, kw_only=True):
    """Both games of a pair.

    pair: from 0; its games have the numbers 2 * pair, in which the first player has the first seat, and the next.
    names: of the players on the server.  deaths: how often each player's program has failed in mid-thought.
    worker: who played it.
    """

    pair: int
    names: tuple[str, str]
    games: tuple[PlayedGame, PlayedGame]
    deaths: tuple[int, int] = (0, 0)
    notes: tuple[PairNote, ...] = ()
    worker: str = ""


class _PairTables(MemoryTables):
    """Keeps a game until it is read, under its own number and one."""

    def new_match_id(self, key: str) -> MatchId:
        place = place_in_run(key)
        assert place is not None
        return MatchId(place[1] + 1)

    def forget(self, record: MatchRecord) -> None:
        """A game that has been read."""
        del self.matches[record.id], self.moves[record.id], self.match_ids[record.key]
        self.failures.pop(record.id, None)
        self.results.clear()


class _PairTable:
    """A table at which one pair is played at a time."""

    def __init__(self, plan: MatchPlan, spares: SpareWorkers) -> None:
        # nothing of the run: only what is played, and one game at a time
        self._plan = replace(plan, concurrency=1, database="memory:", sprt=None, resume=False, openings=())
        self._spares = spares
        self._notes, self._open = list[PairNote](), AsyncExitStack()
        self._table: Table
        self._tables: _PairTables

    async def open(self) -> None:
        """Let both players come. Raises what `Table.join` does."""
        self._tables = _PairTables()
        store = MemoryStore(self._tables)
        try:
            table = open_table(self._plan, self._on_event, store=store, spares=self._spares)
            self._table = await self._open.enter_async_context(table)
            await self._table.join()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Leave nothing running."""
        await self._open.aclose()

    async def play(self, pair: int, openings: PairOpenings) -> PlayedPair:
        """Both games, one after the other. Raises MatchFailed and what ends a player; the table can then be closed."""
        deaths = self._table.deaths
        playing = asyncio.create_task(self._both(pair, openings))
        try:
            games = await self._table.unless_failed(playing)
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
        notes, self._notes[:] = tuple(self._notes), []
        first, second = (now - before for now, before in zip(self._table.deaths, deaths, strict=True))
        return PlayedPair(pair=pair, names=self._table.names, games=games, deaths=(first, second), notes=notes)

    async def _both(self, pair: int, openings: PairOpenings) -> tuple[PlayedGame, PlayedGame]:
        return await self._game(2 * pair, openings[0]), await self._game(2 * pair + 1, openings[1])

    async def _game(self, number: int, opening: Opening) -> PlayedGame:
        key, store = pair_key(f"{self._plan.digest}-1", number), self._table.store
        await self._table.begin(number, key, opening)
        record, result = await self._table.game_over(key)
        moves = await store.moves(record.id)
        ended = await store.match(record.id)
        assert ended is not None
        assert ended.result == result
        game = PlayedGame(ended, moves, await store.failure(record.id))
        self._tables.forget(record)
        return game

    def _on_event(self, event: Event) -> None:
        if len(self._notes) < MOST_NOTES:
            if isinstance(event, BotError):
                self._notes.append(PairNote(event.then, event.failure))
            elif isinstance(event, Disconnected | MoveOverdue | Note):
                self._notes.append(PairNote(str(event)))


class PairPlayer:
    """Plays pairs in this process, several at once if it is asked for several. Belongs to one event loop."""

    def __init__(self, at_once: int = 1, idle_s: float = IDLE_S) -> None:
        """at_once: pairs, and so how many tables stay open for the next ones.  idle_s: and for how long."""
        self._at_once, self._idle_s = at_once, idle_s
        self._idle: list[tuple[str, _PairTable]] = []  # by the digest of its plan, the one that was left last behind
        self._playing, self._spares = 0, SpareWorkers(2 * at_once, idle_s)  # two players at a table
        self._closing: set[asyncio.Task[None]] = set()
        self._alarm: asyncio.TimerHandle | None = None

    async def play(self, plan: MatchPlan, pair: int, openings: PairOpenings) -> PlayedPair:
        """Both games of a pair; no clock runs before everything is compiled. Raises `FAILURES`."""
        self._playing += 1
        try:
            table = await self._table_for(plan)
            try:
                played = await table.play(pair, openings)
            except BaseException:
                await table.close()
                raise
        finally:
            self._playing -= 1
        self._idle.append((plan.digest, table))
        self._close_idle(self._at_once)
        self._set_alarm()
        return played

    async def close(self) -> None:
        """Close all tables; nothing may be played."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._close_idle(0)
        await asyncio.gather(*self._closing)
        await self._spares.close()

    async def _table_for(self, plan: MatchPlan) -> _PairTable:
        for place in reversed(range(len(self._idle))):
            if self._idle[place][0] == plan.digest:
                return self._idle.pop(place)[1]
        # others make room first, and leave their workers: the next players are often these with other options
        self._close_idle(max(0, self._at_once - self._playing))
        await asyncio.gather(*self._closing)
        table = _PairTable(plan, self._spares)
        await table.open()
        return table

    def _close_idle(self, most: int) -> None:
        while len(self._idle) > most:
            _, table = self._idle.pop(0)
            closing = asyncio.create_task(table.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = asyncio.get_running_loop().call_later(self._idle_s, self._close_idle, 0)


class Answer(Struct, frozen=True):
    """The result of a pair for another process: the pair, or why there is none."""

    played: PlayedPair | None = None
    why: str = ""
    failure: ProgramFailure | None = None

    def pair_by(self, worker: str) -> PlayedPair:
        """The pair with its players. Raises MatchFailed."""
        if self.played is None:
            raise MatchFailed(self.why, self.failure)
        return structs.replace(self.played, worker=worker)


async def answer(player: PairPlayer, plan: MatchPlan, pair: int, openings: PairOpenings) -> Answer:
    """Play a pair and return its result. Raises only CancelledError."""
    try:
        return Answer(await player.play(plan, pair, openings))
    except FAILURES as error:
        return Answer(None, str(error), getattr(error, "failure", None))
    except Exception:
        return Answer(None, f"pair {pair + 1}: an internal error, please report it: {traceback.format_exc()}")
