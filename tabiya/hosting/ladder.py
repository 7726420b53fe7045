"""What the ladder of hosted programs knows of the server: ratings, divisions, hours, and who of the house is there.

    ladder = Ladder(server)
    await ladder.look(programs)                 # now and then
    ladder.next(queue)                          # who is started
    ladder.arrange(programs, turns)             # games for those that run, more often

Programs that run seek games as all bots do. What they would not find by themselves is arranged: the games that their
owners have asked for, and games against players of the house.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from tabiya.hosting.turns import Queue, Rated, next_programs
from tabiya.server.accounts.names import same_name
from tabiya.server.app import TabiyaServer
from tabiya.server.hosting import ProgramRefused
from tabiya.server.hours import is_within
from tabiya.server.sessions.session import BotSession
from tabiya.storage.program_records import ProgramId, ProgramRecord
from tabiya.storage.records import BotId, BotRecord

HOUSE_TURN = 3  # every third turn of a program begins against the house
ALONE_S = 2.0  # without anybody to play with, after which the house plays
GAMES_A_DAY = 20  # that an owner may ask for
USUAL_RATING = 1500.0


@dataclass(slots=True)
class _Wish:
    """Games that an owner has asked for, and that are not begun."""

    bot: BotId
    opponent: BotId
    game: str
    games: int


class Ladder:
    """See the module."""

    def __init__(self, server: TabiyaServer, now: Callable[[], datetime] = datetime.now) -> None:
        self._server, self._now = server, now
        self._names: dict[BotId, str] = {}
        self._rated: dict[ProgramId, Rated] = {}
        self._house_rated: dict[tuple[str, str], float] = {}
        self._divisions: dict[ProgramId, int] = {}
        self._alone_since: dict[ProgramId, float] = {}
        self._wishes: list[_Wish] = []
        self._asked = Counter[tuple[BotId, date]]()

    async def look(self, programs: Collection[ProgramRecord]) -> None:
        """Read ratings and divisions anew. Raises StoreError."""
        rated, divisions = dict[ProgramId, Rated](), dict[ProgramId, int]()
        for game in {program.game for program in programs}:
            table = await self._server.standings.standings(game)
            pool = Counter(row.pool for row in table.rows).most_common(1)  # ratings of other pools say nothing here
            rows = {(same_name(row.bot), row.version): row for row in table.rows if row.pool == pool[0][0]}
            placed = {same_name(name): place for name, place in (await self._server.seasons.divisions(game)).items()}
            for program in programs:
                if program.game == game:
                    name = same_name(await self._name(program.bot_id))
                    if (row := rows.get((name, program.digest))) is not None:
                        rated[program.id] = Rated(row.rating, row.plus_minus)
                    if name in placed:
                        divisions[program.id] = placed[name]
            self._house_rated |= {(game, name): row.rating for (name, _), row in rows.items() if name in self._house}
        self._rated, self._divisions = rated, divisions

    async def _name(self, bot: BotId) -> str:
        if bot not in self._names:
            record = await self._server.store.bot(bot)
            self._names[bot] = record.name if record else ""
        return self._names[bot]

    def next(self, queue: Queue) -> list[ProgramRecord]:
        """Those that are to be started now, as many as there are places at most."""
        settings = self._server.settings.now
        queue = queue._replace(free=min(queue.free, settings.hosted_at_once - len(queue.running)))
        if queue.free <= 0 or not is_within(settings.hosted_hours, self._now()):
            return []
        house = {game for game in {program.game for program in queue.programs} if self._house_players(game)}
        return self._wished(queue) or next_programs(queue, self._rated, house, self._divisions)

    # --- games that owners ask for

    def ask_for(self, bot: BotRecord, opponent: BotRecord, game: str, games: int) -> int:
        """Play so many games between these two when both can; how many may still be asked for today.

        Raises ProgramRefused beyond that.
        """
        asked = (bot.id, self._now().date())
        left = GAMES_A_DAY - self._asked[asked]
        if games > left:
            raise ProgramRefused(f"{GAMES_A_DAY} games a day can be asked for; of today's {left} are left")
        self._asked[asked] += games
        self._wishes.append(_Wish(bot.id, opponent.id, game, games))
        return left - games

    def _wished(self, queue: Queue) -> list[ProgramRecord]:
        """Programs for the first wish that can be fulfilled, of those that do not run."""
        for wish in self._wishes:
            waiting = {program.bot_id: program for program in queue.waiting if program.game == wish.game}
            bots = (wish.bot, wish.opponent)
            chosen = [waiting[bot] for bot in bots if bot in waiting]
            is_possible = all(bot in waiting or self._server.dispatcher.sessions.by_bot(bot) for bot in bots)
            if is_possible and 0 < len(chosen) <= queue.free:
                return chosen
        return []

    # --- arranging

    def arrange(self, programs: Collection[ProgramRecord], turns: Mapping[ProgramId, int], now_s: float) -> None:
        """Begin the games that would not begin by themselves. programs: those that have a turn.  now_s: a clock."""
        for wish in tuple(self._wishes):
            one, two = (self._server.dispatcher.sessions.by_bot(bot) for bot in (wish.bot, wish.opponent))
            if one and two and self._server.dispatcher.matchmaker.arrange(one, two, wish.game):
                wish.games -= 1
                if wish.games == 0:
                    self._wishes.remove(wish)
        self._alone_since = {key: self._alone_since[key] for key in turns if key in self._alone_since}
        for program in programs:
            session = self._server.dispatcher.sessions.by_bot(program.bot_id)
            if program.id not in turns or session is None or session.matches:
                self._alone_since.pop(program.id, None)
                continue
            since = self._alone_since.setdefault(program.id, now_s)
            if turns[program.id] % HOUSE_TURN == 0 or now_s >= since + ALONE_S:
                self._against_the_house(program, session)

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
        """Those that are connected and play this game."""
        found = (self._server.dispatcher.sessions.by_name(name) for name in self._server.house_bots)
        return [session for session in found if session is not None and session.plays(game)]
