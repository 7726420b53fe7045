"""Tournaments on a running server: saves every step before it acts on it, and picks up where a restart left off.

One `Director` per running tournament takes what happens in order: results, presence, orders of the operator.
What has become of each game is read back from its stored matches at a start, so no result is lost or counted twice.
"""

from __future__ import annotations

import time
from difflib import get_close_matches
from typing import Any

from msgspec import Struct, convert, to_builtins

from games.registry import load_game
from protocol.time_control import TimeControlError, parse
from server.core import tournament as core
from server.core.tournament import Plan, State
from server.director import Director, Settings
from server.host import Host
from server.peers import Peer
from server.seating import checked_options
from storage.errors import StoreError
from storage.records import (
    MatchRecord,
    NewTournament,
    ResultRecord,
    TournamentEntry,
    TournamentId,
    TournamentRecord,
    TournamentStatus,
)
from storage.store import Store

FORMAT = "round_robin"
MOST_ENTRANTS, MOST_GAMES = 128, 40_000


class TournamentError(ValueError):
    """A tournament cannot be created or commanded like this; the text is one sentence."""


class TournamentOrder(Struct, frozen=True, kw_only=True):
    """A tournament as the organiser asks for it. bots: names; they need not be connected yet."""

    name: str
    game: str
    bots: tuple[str, ...]
    time_control: str = ""
    rounds: int = 1
    options: dict[str, Any] = {}
    concurrency: int = 0
    no_show_s: float = 60.0
    rated: bool = True
    illegal_limit: int = 3
    seed: int | None = None
    start: bool = True


class Tournaments:
    """All tournaments of a server."""

    def __init__(self, store: Store, host: Host, usual_time: str) -> None:
        self._store, self._host, self._usual_time = store, host, usual_time
        self._directors: dict[TournamentId, Director] = {}
        self._closed = False
        host.on_ended.append(self._match_ended)
        host.on_presence.append(self._presence)
        host.matchmaker.reserved_for_tournament = self._is_busy

    # --- the organiser's orders ---

    async def create(self, order: TournamentOrder) -> TournamentRecord:
        """Check and store a tournament, and start it if asked to. Raises TournamentError, GameError, StoreError."""
        new = await self._checked(order)
        tournament_id = await self._store.create_tournament(new)
        record = await self._known(tournament_id)
        return await self.start(record.id) if order.start else record

    async def start(self, tournament_id: int) -> TournamentRecord:
        """Start a created tournament, or go on with a paused one."""
        record = await self._known(tournament_id)
        stopped = record.status == "running" and record.id not in self._directors  # by an error of ours
        if record.status not in ("created", "paused") and not stopped:
            raise TournamentError(f"tournament {record.id} is {record.status} and cannot be started")
        await self._direct(record, "running")
        return await self._known(tournament_id)

    async def pause(self, tournament_id: int) -> TournamentRecord:
        """Start no further games; those that run go on."""
        return await self._command(tournament_id, "paused")

    async def cancel(self, tournament_id: int) -> TournamentRecord:
        """End the tournament as it stands; games that run go on and are not counted in it."""
        return await self._command(tournament_id, "cancelled")

    async def restore(self) -> None:
        """Go on with everything that ran when the server stopped."""
        for record in await self._store.list_tournaments():
            if record.status in ("running", "paused"):
                await self._direct(record, record.status)

    def close(self) -> None:
        """Take nothing more."""
        self._closed = True
        for director in self._directors.values():
            director.close()

    def name_of(self, tournament_id: TournamentId | None) -> str:
        """The name of a running tournament, empty for none."""
        director = self._directors.get(tournament_id) if tournament_id is not None else None
        return director.record.name if director else ""

    async def _checked(self, order: TournamentOrder) -> NewTournament:
        game = load_game(order.game)
        check_numbers(order)
        settings = Settings(
            time_control=self._time_control(order),
            rounds=order.rounds,
            options=checked_options(game, order.options),
            concurrency=order.concurrency,
            no_show_s=order.no_show_s,
            rated=order.rated,
            illegal_limit=order.illegal_limit,
        )
        entries = [await self._entry(number, name) for number, name in enumerate(order.bots)]
        if len({entry.bot_id for entry in entries}) < len(entries):
            raise TournamentError("a bot enters a tournament once; this list names one twice")
        now = time.time()
        return NewTournament(
            name=order.name.strip(),
            game=order.game,
            format=FORMAT,
            settings=to_builtins(settings),
            seed=order.seed if order.seed is not None else time.time_ns() % 2**31,
            state=to_builtins(core.begin(Plan(len(entries), order.rounds))),
            entries=tuple(entries),
            created_at=now,
        )

    def _time_control(self, order: TournamentOrder) -> str:
        try:
            return str(parse(order.time_control or self._usual_time))
        except TimeControlError as error:
            raise TournamentError(str(error)) from None

    async def _entry(self, number: int, name: str) -> TournamentEntry:
        bot = await self._store.bot_by_name(name)
        if bot is None:
            near = get_close_matches(name, [known.name for known in await self._store.list_bots()], n=1)
            meant = f"; did you mean {near[0]!r}?" if near else "; it must have connected or been registered once"
            raise TournamentError(f"there is no bot called {name!r}{meant}")
        peer = self._host.directory.of(bot.id)
        return TournamentEntry(number=number, bot_id=bot.id, bot=bot.name, version=peer.version if peer else "")

    async def _known(self, tournament_id: int) -> TournamentRecord:
        record = await self._store.tournament(TournamentId(tournament_id))
        if record is None:
            raise TournamentError(f"there is no tournament {tournament_id}")
        return record

    async def _direct(self, record: TournamentRecord, status: TournamentStatus) -> None:
        if self._closed:
            raise TournamentError("the server closes; its tournaments go on when it is back")
        director = self._directors.get(record.id)
        if director is None:
            # entered before its games are read: a match that ends meanwhile must not be missed
            director = self._directors[record.id] = Director(self._store, self._host, record)
            try:
                await director.read_games()
            except StoreError as error:
                del self._directors[record.id]
                director.close(error)
                director.answer_orders()
                raise
            self._host.spawn(self._run(director))
        await director.order(status)

    async def _command(self, tournament_id: int, status: TournamentStatus) -> TournamentRecord:
        record = await self._known(tournament_id)
        if record.status not in ("created", "running", "paused"):
            raise TournamentError(f"tournament {record.id} is {record.status} already")
        await self._direct(record, status)
        return await self._known(tournament_id)

    async def _run(self, director: Director) -> None:
        try:
            await director.run()
        finally:
            self._directors.pop(director.record.id, None)
            self._host.matchmaker.plan_pairing()

    # --- what the server tells ---

    def _match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        director = self._directors.get(record.tournament_id) if record.tournament_id is not None else None
        if director is not None:
            director.match_ended(record, result)

    def _presence(self) -> None:
        for director in self._directors.values():
            director.look()

    def _is_busy(self, peer: Peer) -> bool:
        return any(director.needs(peer) for director in self._directors.values())


def check_numbers(order: TournamentOrder) -> None:
    """Whether the order's name and numbers are within their bounds. Raises TournamentError."""
    name, entrants = order.name.strip(), len(order.bots)
    games = entrants * (entrants - 1) * order.rounds
    if not 1 <= len(name) <= 64 or not name.isprintable():
        raise TournamentError(f"a tournament has a name of 1 to 64 printable characters, not {order.name[:80]!a}")
    if not 2 <= entrants <= MOST_ENTRANTS:
        raise TournamentError(f"a tournament has 2 to {MOST_ENTRANTS} bots, not {entrants}")
    if order.rounds < 1 or games > MOST_GAMES:
        raise TournamentError(
            f"{order.rounds} rounds of {entrants} bots are {max(0, games)} games; allowed are 1 to {MOST_GAMES}"
        )
    bounds = {
        "concurrency": (order.concurrency, 0, 10_000),
        "no_show_s": (order.no_show_s, 1, 86_400),
        "illegal_limit": (order.illegal_limit, 1, 1_000),
        "seed": (order.seed or 0, 0, 2**63 - 1),
    }
    for what, (value, least, most) in bounds.items():
        if not least <= value <= most:
            raise TournamentError(f"{what} is {value}; allowed are {least} to {most}")


def crosstable_of(record: TournamentRecord) -> tuple[core.Line, ...]:
    """The crosstable of a stored tournament (its lines, best first)."""
    settings = convert(record.settings, Settings)
    return core.crosstable(Plan(len(record.entries), settings.rounds), convert(record.state, State))
