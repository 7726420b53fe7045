"""What the ladder of hosted programs needs from the server: ratings, divisions, hours, house bots.

    ladder = Ladder(server)
    await ladder.open()                         # what owners have asked for before
    await ladder.refresh(programs)              # now and then
    ladder.next(queue)                          # the programs to start
    await ladder.arrange(programs, turns, now)  # games for those that run, more often

Programs that run seek games as all bots do. What they would not find by themselves is arranged: the games that their
owners have asked for, and games against players of the house.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, time

from msgspec.structs import replace

from tabiya.hosting.turns import Queue, Rated, next_programs
from tabiya.server.accounts.names import same_name
from tabiya.server.app import TabiyaServer
from tabiya.server.hosting import ProgramRefused
from tabiya.server.hours import is_within
from tabiya.server.sessions.session import BotSession
from tabiya.storage.program_records import NewWish, ProgramId, ProgramRecord, WishId, WishRecord
from tabiya.storage.records import BotId, BotRecord

HOUSE_TURN = 3  # every third turn of a program begins against the house
HOUSE_AFTER_S = 2.0  # without anybody to play with, after which the house plays
GAMES_A_DAY = 20  # that an owner may ask for
USUAL_RATING = 1500.0


class Ladder:
    """See the module."""

    def __init__(self, server: TabiyaServer, now: Callable[[], datetime] = datetime.now) -> None:
        self._server, self._now = server, now
        self._names: dict[BotId, str] = {}
        self._rated: dict[ProgramId, Rated] = {}
        self._house_rated: dict[tuple[str, str], float] = {}
        self._divisions: dict[ProgramId, int] = {}
        self._alone_since: dict[ProgramId, float] = {}
        self._wishes: dict[WishId, WishRecord] = {}  # as in the store, the oldest first
        self._asking = asyncio.Lock()

    async def open(self) -> None:
        """Load the games that owners have asked for. Raises StoreError."""
        self._wishes = {wish.id: wish for wish in await self._server.store.wishes()}

    async def refresh(self, programs: Collection[ProgramRecord]) -> None:
        """Read ratings and divisions again. Raises StoreError."""
        rated, divisions = dict[ProgramId, Rated](), dict[ProgramId, int]()
        for game in {program.game for program in programs}:
            table = await self._server.standings.standings(game)
            pool = Counter(row.pool for row in table.rows).most_common(1)  # ratings of other pools say nothing here
            rows = {(same_name(row.bot), row.version): row for row in table.rows if row.pool == pool[0][0]}
            placed = {same_name(name): place for name, place in (await self._server.seasons.divisions(game)).items()}
            for program in programs:
                if program.game == game:
                    name = same_name(await self.name_of(program.bot_id))
                    if (row := rows.get((name, program.digest))) is not None:
                        rated[program.id] = Rated(row.rating, row.plus_minus)
                    if name in placed:
                        divisions[program.id] = placed[name]
            self._house_rated |= {(game, name): row.rating for (name, _), row in rows.items() if name in self._house}
        self._rated, self._divisions = rated, divisions

    async def name_of(self, bot: BotId) -> str:
        """A bot's name, read once: it never changes."""
        if bot not in self._names:
            record = await self._server.store.bot(bot)
            self._names[bot] = record.name if record else ""
        return self._names[bot]

    def next(self, queue: Queue) -> list[ProgramRecord]:
        """The programs to start now, at most as many as there are places."""
        settings, tournaments = self._server.settings.now, self._server.tournaments
        queue = queue._replace(free=min(queue.free, settings.hosted_at_once - len(queue.running)))
        if queue.free <= 0:
            return []
        for bots in tournaments.awaited():
            if chosen := self._missing(bots, queue):
                return chosen if len(chosen) <= queue.free else []  # the places are kept for them
        if not is_within(settings.hosted_hours, self._now()):
            return []
        queue = queue._replace(programs=[each for each in queue.programs if not tournaments.needs(each.bot_id)])
        house = {game for game in {program.game for program in queue.programs} if self._house_players(game)}
        return self._wished(queue) or next_programs(queue, self._rated, house, self._divisions)

    # --- games that owners ask for

    async def ask_for(self, bot: BotRecord, opponent: BotRecord, game: str, games: int) -> int:
        """Request games between the two, played when both can; returns how many more may be requested today.

        Raises ProgramRefused beyond that, StoreError.
        """
        async with self._asking:  # two at once would each find the same games left
            now = self._now()
            today = datetime.combine(now, time.min).timestamp()
            of_today = {key: wish for key, wish in self._wishes.items() if wish.asked_at >= today}
            left = GAMES_A_DAY - sum(wish.games for wish in of_today.values() if wish.bot_id == bot.id)
            if games > left:
                raise ProgramRefused(f"you can ask for {GAMES_A_DAY} games a day; {left} are left today")
            new = NewWish(bot_id=bot.id, opponent_id=opponent.id, game=game, games=games, asked_at=now.timestamp())
            wish = await self._server.store.add_wish(new, forget_before=today)
            over = [key for key, wish in self._wishes.items() if key not in of_today and not wish.waiting]
            for key in over:
                self._wishes.pop(key, None)
            self._wishes[wish.id] = wish
            return left - games

    async def take_back_games(self, wish: WishRecord) -> None:
        """Cancel these waiting games; they do not count. Raises StoreError."""
        left = await self._server.store.take_back_wish(wish.id)
        if left is None:
            self._wishes.pop(wish.id, None)
        else:
            self._wishes[left.id] = left

    @property
    def _waiting(self) -> list[WishRecord]:
        return [wish for wish in self._wishes.values() if wish.waiting]

    def _wished(self, queue: Queue) -> list[ProgramRecord]:
        """The programs to start for the first requested game that is possible."""
        for wish in self._waiting:
            of_game = queue._replace(programs=[each for each in queue.programs if each.game == wish.game])
            chosen = self._missing((wish.bot_id, wish.opponent_id), of_game)
            if 0 < len(chosen) <= queue.free:
                return chosen
        return []

    def _missing(self, bots: tuple[BotId, BotId], queue: Queue) -> list[ProgramRecord]:
        """The programs to be started so that these two can meet; none if one of them cannot come."""
        waiting = {program.bot_id: program for program in queue.waiting}
        coming = {program.bot_id for program in queue.programs if program.id in queue.running}
        can_come = all(bot in waiting or bot in coming or self._server.dispatcher.sessions.by_bot(bot) for bot in bots)
        return [waiting[bot] for bot in bots if bot in waiting] if can_come else []

    # --- arranging

    async def arrange(self, programs: Collection[ProgramRecord], turns: Mapping[ProgramId, int], now_s: float) -> None:
        """Begin the games that would not begin by themselves. programs: those that have a turn.  now_s: a clock.

        A game that an owner has asked for is begun first and then counted: if the server dies between, it is played
        once more. Raises StoreError.
        """
        for key in tuple(self._wishes):
            await self._begin_requested(key)
        self._alone_since = {key: self._alone_since[key] for key in turns if key in self._alone_since}
        for program in programs:
            session = self._server.dispatcher.sessions.by_bot(program.bot_id)
            if program.id not in turns or session is None or session.matches:
                self._alone_since.pop(program.id, None)
                continue
            since = self._alone_since.setdefault(program.id, now_s)
            if turns[program.id] % HOUSE_TURN == 0 or now_s >= since + HOUSE_AFTER_S:
                self._against_the_house(program, session)

    async def _begin_requested(self, key: WishId) -> None:
        """Begin a requested game, if one waits and both can play now."""
        wish = self._wishes.get(key)
        if wish is None or not wish.waiting:
            return
        one, two = (self._server.dispatcher.sessions.by_bot(bot) for bot in (wish.bot_id, wish.opponent_id))
        if one and two and self._server.dispatcher.matchmaker.arrange(one, two, wish.game):
            self._wishes[key] = replace(wish, waiting=wish.waiting - 1)
            await self._server.store.begin_wished_game(key)

    def _against_the_house(self, program: ProgramRecord, session: BotSession) -> None:
        """A game against the player of the house whose rating is nearest, if one is free."""
        own = self._rated[program.id].rating if program.id in self._rated else USUAL_RATING
        there = self._house_players(program.game)
        there.sort(key=lambda one: abs(self._house_rated.get((program.game, same_name(one.name)), USUAL_RATING) - own))
        for player in there:
            if self._server.dispatcher.matchmaker.arrange(session, player, program.game):
                return

    @property
    def _house(self) -> set[str]:
        return {same_name(name) for name in self._server.house_bots}

    def _house_players(self, game: str) -> list[BotSession]:
        """Connected house bots that play this game."""
        found = (self._server.dispatcher.sessions.by_name(name) for name in self._server.house_bots)
        return [session for session in found if session is not None and session.plays(game)]
