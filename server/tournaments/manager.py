"""All tournaments of a running server: carries out orders and has a `Director` for each active tournament."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from difflib import get_close_matches

from msgspec import to_builtins
from msgspec.structs import replace

from tabiya.games.openings import SplitMix
from tabiya.games.registry import load_game, names
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.matches.factory import checked_options
from tabiya.server.pairing import FORMATS
from tabiya.server.sessions.session import BotSession
from tabiya.server.standings import StandingsCache
from tabiya.server.tournaments.director import ACTIVE_STATUSES, Director, DirectorContext
from tabiya.server.tournaments.hosted import HostedPrograms, NoPrograms, everybody
from tabiya.server.tournaments.openings import given_openings
from tabiya.server.tournaments.pairing_process import PairingExecutor
from tabiya.server.tournaments.readiness import Readiness
from tabiya.server.tournaments.settings import (
    TournamentChange,
    TournamentError,
    TournamentOrder,
    check_grading,
    check_order,
    checked_adjudication,
    checked_name,
    checked_time_control,
    given,
    plan_of,
    read_tournament,
    settings_of,
)
from tabiya.server.tournaments.transitions import Change, TournamentState
from tabiya.storage.errors import StoreError
from tabiya.storage.records import (
    BotId,
    BotRecord,
    MatchRecord,
    NewTournament,
    ResultRecord,
    TournamentEntry,
    TournamentId,
    TournamentRecord,
)
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.tournament")


class TournamentManager:
    """Creates, restores and commands tournaments."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        standings: StandingsCache,
        usual_time: str,
        executor: PairingExecutor | None = None,
    ) -> None:
        """executor: runs long work; None: threads and processes."""
        self._store, self._dispatcher, self._standings, self.usual_time = store, dispatcher, standings, usual_time
        self._directors: dict[TournamentId, Director] = {}
        self._context = DirectorContext(
            self._games_elsewhere,
            self._is_next_in_line,
            self._on_game_over,
            self._seed_order,
            executor or PairingExecutor(),
            lambda: self.programs,
        )
        self.programs: HostedPrograms = NoPrograms()
        self._closed = False
        self._creating = asyncio.Lock()
        dispatcher.on_ended.append(self._match_ended)
        dispatcher.on_presence.append(self._wake_all)
        dispatcher.matchmaker.reserved_for_tournament = self._is_busy

    # --- the organiser's orders ---

    async def create(self, order: TournamentOrder) -> TournamentRecord:
        """Check and store a tournament, and start it if asked to. Raises TournamentError, GameError, StoreError.

        One that is to start at once has its time of start stored with it, so that a server that dies in between starts
        it when it is back. An order with the key of an earlier one has that one's tournament for an answer.
        """
        # one at a time: two orders with one key at the same moment would both find that there is none yet
        async with self._creating:
            record = await self._already_created(order) or await self._record_of(
                await self._store.create_tournament(await self._new_tournament(order))
            )
        if record.status in ACTIVE_STATUSES:
            await self._apply(record, lambda director: _unchanged)
        return await self._record_of(record.id)

    async def start(self, tournament_id: int) -> TournamentRecord:
        """Start a created tournament, or go on with a paused one."""
        record = await self._record_of(tournament_id)
        stopped = record.status == "running" and record.id not in self._directors  # by a server error
        if record.status not in ("created", "paused") and not stopped:
            raise TournamentError(f"tournament {record.id} is {record.status} and cannot be started")
        return await self._apply(record, lambda director: director.transitions.to_status("running"))

    async def pause(self, tournament_id: int) -> TournamentRecord:
        """Start no further games; running games continue."""
        return await self._apply(
            await self._active_record(tournament_id), lambda director: director.transitions.to_status("paused")
        )

    async def cancel(self, tournament_id: int) -> TournamentRecord:
        """End the tournament now; running games continue, but do not count in it."""
        return await self._apply(
            await self._active_record(tournament_id), lambda director: director.transitions.to_status("cancelled")
        )

    async def change(self, tournament_id: int, order: TournamentChange) -> TournamentRecord:
        """Change the name or settings; what concerns games applies to those that begin from now on.

        A Swiss that has ended goes on with more rounds.
        """
        record = await self._record_to_extend(tournament_id)
        changed = given(order)
        name = checked_name(changed.pop("name")) if "name" in changed else ""
        if "time_control" in changed:
            changed["time_control"] = checked_time_control(changed["time_control"], self.usual_time)
        return await self._apply(record, lambda director: director.transitions.to_change(name, changed))

    async def enter(self, tournament_id: int, names: Sequence[str]) -> TournamentRecord:
        """Enter bots before the start, or later where the format permits; those withdrawn come back.

        A round robin or a gauntlet that has ended goes on with their games.
        """
        record = await self._record_to_extend(tournament_id)
        bots = [await self._bot(name) for name in names]
        entering = [(bot.id, bot.name, self._version(bot, record.game)) for bot in bots]
        at = self._dispatcher.match_factory.wall_s()
        return await self._apply(record, lambda director: director.transitions.to_enter(entering, at))

    async def withdraw(self, tournament_id: int, name: str) -> TournamentRecord:
        """Withdraw an entrant: it forfeits all games that have not begun."""
        record, bot = await self._active_record(tournament_id), await self._bot(name)
        return await self._apply(record, lambda director: director.transitions.to_withdraw(bot.id, bot.name))

    async def give_bye(self, tournament_id: int, name: str) -> TournamentRecord:
        """Give an entrant a bye in the next round, where the format has them."""
        record, bot = await self._active_record(tournament_id), await self._bot(name)
        return await self._apply(record, lambda director: director.transitions.to_give_bye(bot.id, bot.name))

    async def warnings(self, record: TournamentRecord, names: Sequence[str] = ()) -> tuple[str, ...]:
        """Sentences about entrants that could not play now. names: those to look at; empty: all. Raises StoreError."""
        wanted = {(await self._bot(name)).id for name in names} or {entry.bot_id for entry in record.entries}
        entries = [entry for entry in record.entries if entry.bot_id in wanted and not entry.withdrawn]
        readiness = Readiness(self._store, self._dispatcher.sessions, self.programs)
        return await readiness.warnings(entries, record.game, read_tournament(record).settings.no_show_s)

    async def restore(self) -> None:
        """Continue all tournaments that were active when the server stopped."""
        for record in await self._store.list_tournaments():
            if record.status in ACTIVE_STATUSES:
                await self._restore(record)

    async def _restore(self, record: TournamentRecord) -> None:
        """Continue one tournament; a damaged one is logged and left as it is."""
        if record.damage is not None:
            log.error(
                "%s; it is not continued (`tabiya verify` looks for more damage)",
                record.damage,
                extra={"tournament": record.id},
            )
            return
        try:
            await self._director(record)
        except StoreError:
            raise
        except Exception as error:
            about = {"tournament": record.id}
            log.exception("tournament %d cannot go on: %s", record.id, type(error).__name__, extra=about)

    def close(self) -> None:
        """Stop all directors and accept no more orders."""
        self._closed = True
        for director in self._directors.values():
            director.close()

    def name_of(self, tournament_id: TournamentId | None) -> str:
        """The name of a running tournament, empty for none."""
        director = self._directors.get(tournament_id) if tournament_id is not None else None
        return director.name if director else ""

    # --- checking ---

    async def _already_created(self, order: TournamentOrder) -> TournamentRecord | None:
        """The tournament that an order with this key has made already."""
        if not order.key:
            return None
        for record in await self._store.list_tournaments():
            if record.settings.get("key") == order.key:
                if (record.name, record.game, record.format) != (order.name.strip(), order.game, order.format):
                    raise TournamentError(
                        f"the key {order.key[:80]!a} was already used for another tournament: {record.id}"
                    )
                return record
        return None

    async def _new_tournament(self, order: TournamentOrder) -> NewTournament:
        game = load_game(order.game)
        check_order(order)
        now_s = self._dispatcher.match_factory.wall_s()
        at_once = order.start and order.starts_at is None
        settings = settings_of(
            order,
            starts_at=now_s if at_once else order.starts_at,
            time_control=checked_time_control(order.time_control, self.usual_time),
            options=checked_options(game, order.options),
            adjudication=checked_adjudication(order.adjudication, game),
            grading=tuple([replace(staff, bot=(await self._bot(staff.bot)).name) for staff in order.grading]),
        )
        given_openings(game, settings.options, settings.openings)  # raises an error if it is invalid
        entries = [await self._entry(number, name, order.game) for number, name in enumerate(order.bots)]
        seen = set[BotId]()
        for entry in entries:
            if entry.bot_id in seen:
                raise TournamentError(f"a bot enters a tournament once; this list names {entry.bot} twice")
            seen.add(entry.bot_id)
        check_grading(settings.grading, [entry.bot for entry in entries[: order.challengers]])
        if at_once and order.everyone and (trouble := self._too_few(order, entries)):
            raise TournamentError(f"{trouble}; connected bots and uploaded programs enter by themselves")
        return NewTournament(
            name=checked_name(order.name),
            game=order.game,
            format=order.format,
            settings=to_builtins(settings),
            seed=order.seed if order.seed is not None else time.time_ns() % 2**31,
            state=to_builtins(FORMATS[order.format].begin(plan_of(settings, len(entries)))),
            entries=tuple(entries),
            created_at=now_s,
        )

    def _too_few(self, order: TournamentOrder, entries: Sequence[TournamentEntry]) -> str:
        """Why a tournament open to everyone cannot begin with the connected bots; empty if it can."""
        bots = {entry.bot_id for entry in entries}
        bots |= {entrant.bot_id for entrant in everybody(self._dispatcher.sessions.all(), self.programs, order.game)}
        return FORMATS[order.format].start_error(plan_of(settings_of(order), len(bots)))

    async def _entry(self, number: int, name: str, game: str) -> TournamentEntry:
        bot = await self._bot(name)
        return TournamentEntry(number=number, bot_id=bot.id, bot=bot.name, version=self._version(bot, game))

    async def _bot(self, name: str) -> BotRecord:
        bot = await self._store.bot_by_name(name)
        if bot is None:
            near = get_close_matches(name, [known.name for known in await self._store.list_bots()], n=1)
            meant = f"; did you mean {near[0]!r}?" if near else "; it must have connected or been registered once"
            raise TournamentError(f"there is no bot called {name!r}{meant}")
        return bot

    def _version(self, bot: BotRecord, game: str) -> str:
        session = self._dispatcher.sessions.by_bot(bot.id)
        if session is not None:
            return session.version
        hosted = self.programs.able(game).get(bot.id)
        return hosted.version if hosted else ""

    async def _record_of(self, tournament_id: int) -> TournamentRecord:
        record = await self._store.tournament(TournamentId(tournament_id))
        if record is None:
            raise TournamentError(f"there is no tournament {tournament_id}")
        return record

    async def _active_record(self, tournament_id: int) -> TournamentRecord:
        record = await self._record_of(tournament_id)
        if record.status not in ACTIVE_STATUSES:
            over = "has ended" if record.status == "ended" else "was cancelled"
            raise TournamentError(f"tournament {record.id} {over}; nothing about it can be changed")
        return record

    async def _record_to_extend(self, tournament_id: int) -> TournamentRecord:
        """One that is active or has ended."""
        record = await self._record_of(tournament_id)
        return record if record.status == "ended" else await self._active_record(tournament_id)

    # --- directors ---

    async def _director(self, record: TournamentRecord) -> Director:
        """The director of a tournament to be played, created if necessary. Raises TournamentError, StoreError."""
        if self._closed:
            raise TournamentError("the server closes; its tournaments go on when it is back")
        director = self._directors.get(record.id)
        if director is None:
            # entered before its games are read: a match that ends meanwhile must not be missed
            director = self._directors[record.id] = Director(self._store, self._dispatcher, record, self._context)
            try:
                await director.load_games()
            except BaseException as error:
                # orders that came meanwhile wait for a director that will never run
                del self._directors[record.id]
                director.close(error if isinstance(error, StoreError) else StoreError("an error of the server"))
                director.resolve_pending()
                raise
            self._dispatcher.spawn(self._run(director))
        return director

    async def _apply(self, record: TournamentRecord, change: Callable[[Director], Change]) -> TournamentRecord:
        """Let the director make a change; returns the tournament after it."""
        director = await self._director(record)
        await director.apply(change(director))
        return await self._record_of(record.id)

    async def _run(self, director: Director) -> None:
        try:
            await director.run()
        finally:
            self._directors.pop(director.record.id, None)
            # its bots may play in the lobby again, and its cores are free for other tournaments
            self._dispatcher.matchmaker.plan_pairing()
            self._wake_all()

    def _games_elsewhere(self, record: TournamentRecord) -> int:
        return sum(director.running for number, director in self._directors.items() if number != record.id)

    def _is_next_in_line(self, record: TournamentRecord) -> bool:
        """Whether a free core goes to this tournament: of those that share cores, the one that has waited longest."""
        own = self._directors[record.id]
        waiting = [director.waiting_since for director in self._directors.values() if director.shares_cores]
        longest = min((since for since in waiting if since is not None), default=None)
        return not own.shares_cores or longest is None or own.waiting_since == longest

    def _on_game_over(self, record: TournamentRecord) -> None:
        for number, director in self._directors.items():
            if number != record.id:
                director.wake()

    async def _seed_order(self, record: TournamentRecord, entries: Sequence[TournamentEntry]) -> tuple[int, ...]:
        """Numbers of the entrants, the strongest first, by the seeding that the organiser has chosen."""
        seeding, numbers = read_tournament(record).settings.seeding, [entry.number for entry in entries]
        if seeding == "random":
            draw = SplitMix(record.seed)
            return tuple(sorted(numbers, key=lambda number: (draw.word(), number)))
        if seeding == "rating":
            table = await self._standings.standings(record.game)
            # from the bottom up, so that of several rows of a bot the best one stays
            rank = {(row.bot, row.version): row.rank for row in reversed(table.rows)}
            best = {row.bot: row.rank for row in reversed(table.rows)}
            last = len(table.rows) + 1
            ranks = {e.number: rank.get((e.bot, e.version), best.get(e.bot, last)) for e in entries}
            return tuple(sorted(numbers, key=lambda number: (ranks[number], number)))
        return tuple(numbers)

    # --- for programs that are started when they have a game

    def hosted(self) -> dict[int, tuple[str, ...]]:
        """The bots that have such programs, each with their games."""
        found: dict[int, tuple[str, ...]] = {}
        for game in names():
            for bot in self.programs.able(game):
                found[bot] = (*found.get(bot, ()), game)
        return found

    def needs(self, bot: BotId) -> bool:
        """Whether a running tournament may still have games for a bot; the lobby gives it none meanwhile."""
        return any(director.may_need(bot) for director in self._directors.values())

    def awaited(self) -> list[tuple[BotId, BotId]]:
        """The bots of the games that could start if programs were started for them, of each tournament next first."""
        return [bots for director in self._directors.values() for bots in director.awaited]

    # --- callbacks of the server ---

    def _match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        director = self._directors.get(record.tournament_id) if record.tournament_id is not None else None
        if director is not None:
            director.match_ended(record, result)

    def _wake_all(self) -> None:
        for director in self._directors.values():
            director.wake()

    def _is_busy(self, session: BotSession) -> bool:
        return self.needs(session.bot.id)


def _unchanged(current: TournamentState) -> TournamentState:
    """No change: an order that only waits until the director has taken a step."""
    return current
