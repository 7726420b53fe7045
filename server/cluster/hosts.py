"""The server's view of hosts: which are running, which gets the next match, or those of a lost host.

The database is the truth: which host plays a match, and how it ended, is read there whenever something that a host
told may be lost. What hosts tell is only quicker.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.server.cluster.bus import HOSTS, Bus, news_subject, orders_subject
from tabiya.server.cluster.link import HEARTBEAT_S
from tabiya.server.cluster.messages import (
    AbortMatch,
    DecideMatch,
    HostNews,
    HostPresence,
    Order,
    PlayMatch,
    pack,
    unpack,
)
from tabiya.server.cluster.rules import rules_here
from tabiya.server.cluster.spread_runner import PlacedMatch, SpreadRunner
from tabiya.server.matches.continue_matches import continue_matches
from tabiya.server.matches.factory import MatchFactory
from tabiya.storage.errors import StoreError
from tabiya.storage.records import BotId, MatchId, StoredMatch
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.hosts")

MAX_MISSED_BEATS = 5
"""Heartbeats without a word of a host, after which its matches go on elsewhere; only those in which the bus works."""
COMPARE_BEATS = 20  # from one comparison with the database to the next
RETRY_S = 0.5
NEAR_FACTOR, NEAR_MORE = 1.5, 4
"""A host that has a player's connection itself may have this many matches more than the one with the fewest."""
SERVER = "server"
"""Name under which servers take their numbers."""


class _Host:
    """A running host. last_news: number of its last news.  moves_saved: since it began.

    gateway, rules: see `HostPresence`; no rules until it has told them.  starts: its process is known to be there, and
    nothing has been heard of it yet.
    """

    def __init__(self, *, starts: bool = False) -> None:
        self.silent_beats = self.last_news = self.moves_saved = 0
        self.gateway, self.starts = "", starts
        self.rules: dict[str, int] | None = None


class Hosts:
    """All hosts beside this server."""

    def __init__(
        self,
        bus: Bus,
        number: int,
        store: Store,
        runner: SpreadRunner,
        factory: MatchFactory,
        on_change: Callable[[], None],
    ) -> None:
        """number: of this server.  on_change: told when there is another place for matches, or one less."""
        self.number, self._bus, self._store, self._on_change = number, bus, store, on_change
        self._runner, self._factory = runner, factory
        self.announce: Callable[[], None] = lambda: None
        """Tells gateways at once which hosts are there."""
        self.gateway_of: Callable[[BotId], str] = lambda bot_id: ""
        """The name of the gateway that holds the connection of a bot; empty if none does."""
        self.on_lost: Callable[[int], None] = lambda host: None
        """Told of each host whose matches go on elsewhere."""
        self._hosts: dict[int, _Host] = {}
        self._ended: set[int] = set()
        self._rules = rules_here()
        self._load: Counter[int] = Counter()  # number of matches at each host, including those being created
        self._bus_works = self._stopped = False
        self._beats = 0
        self._compare_wanted = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        runner.order, factory.place = self.order, self.place

    async def start(self) -> None:
        """Start listening. Hosts that stay silent from now on count as gone. Raises BusError, StoreError."""
        for record in await self._store.hosts():
            if record.ended_at is not None or record.name == SERVER:
                self._ended.add(record.number)
            else:
                self._hosts[record.number] = _Host()
        await self._bus.subscribe(news_subject(self.number), self._news)
        await self._bus.subscribe(HOSTS, self._host_is)
        self._spawn(self._beat())
        self._spawn(self._compare_loop())
        self._compare_wanted.set()

    async def stop(self) -> None:
        """Stop; hosts go on without a server."""
        self._stopped = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def there(self) -> tuple[int, ...]:
        """The hosts that are not ended."""
        return tuple(self._hosts)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Of the hosts that play."""
        return tuple(number for number, host in self._hosts.items() if host.last_news and host.rules is not None)

    def _with_rules(self, rules: Mapping[str, int]) -> tuple[int, ...]:
        """The playing hosts that have these rules of these games."""
        return tuple(number for number in self.numbers if rules.items() <= (self._hosts[number].rules or {}).items())

    def place(self, game: str, players: tuple[BotId, ...]) -> int:
        """The host that plays the next match of a game: one with our rules of it; 0 if there is none.

        Among those the one with the fewest matches, or one that is near a player and has not many more.
        """
        fit = self._with_rules({game: self._rules[game]})
        least = min(fit, key=self._load.__getitem__, default=0)
        near = {self.gateway_of(player) for player in players} - {""}
        at = [number for number in fit if self._hosts[number].gateway in near]
        host = min(at, key=self._load.__getitem__, default=least)
        if self._load[host] > NEAR_FACTOR * self._load[least] + NEAR_MORE:
            host = least
        self._load[host] += 1
        return host

    def process_starts(self, host: int) -> None:
        """A process that we have started will play as this host, however long its start takes."""
        self._hosts[host] = _Host(starts=True)
        self.announce()

    def process_ended(self, host: int) -> None:
        """That process has ended."""
        if host in self._hosts:
            self._lose(host, "has ended")

    def order(self, host: int, what: PlayMatch | DecideMatch | AbortMatch) -> None:
        """Send an order to a host; if that is gone meanwhile, its matches are handed on."""
        if host in self._ended:
            self._spawn(self._reassign_matches(host))
        self._bus.publish(orders_subject(host), pack(Order(self.number, what)))

    # --- what is heard

    def _host_is(self, data: bytes) -> None:
        presence = unpack(data, HostPresence)
        if presence is None or self._stopped:
            return
        if presence.host == self.number:
            self._bus_works = True
        elif not presence.is_server and presence.host not in self._ended:
            if presence.host not in self._hosts:
                self._hosts[presence.host] = _Host()
                self.announce()
            self._hosts[presence.host].gateway = presence.gateway
            self._learn_rules(presence)

    def _learn_rules(self, presence: HostPresence) -> None:
        host = self._hosts[presence.host]
        if host.rules is not None:
            return
        host.rules = presence.rules
        if others := [game for game, version in self._rules.items() if presence.rules.get(game) != version]:
            text = "host %d has other rules than this server of %s, or none: it gets no new matches of them"
            log.warning(text, presence.host, ", ".join(others))
        if host.last_news:
            self._begins(presence.host)

    def _begins(self, host: int) -> None:
        log.info("host %d plays matches from now on", host)
        self._on_change()

    def _news(self, data: bytes) -> None:
        news = unpack(data, HostNews)
        host = self._hosts.get(news.host) if news else None
        if news is None or host is None or news.number <= host.last_news or self._stopped:
            return
        host.silent_beats, host.starts = 0, False
        if news.number != host.last_news + 1 or news.number == 1:
            self._compare_wanted.set()
        is_new, host.last_news = host.last_news == 0, news.number
        self._runner.moves_saved += news.moves_saved - host.moves_saved
        host.moves_saved = news.moves_saved
        finals = {reported.state.match: reported.state for reported in news.states if reported.state.result}
        for reported in news.states:
            self._runner.report(reported)
        for result in news.ended:
            final = finals.get(result.match_id)
            if final is not None:
                self._runner.ended_elsewhere(result, final)
            # otherwise its players may continue in a match that the host has stored
            if final is None or result.ending == Ending.ABORTED:
                self._compare_wanted.set()
        if news.leaves:
            self._lose(news.host, "leaves")
        elif is_new and host.rules is not None:
            self._begins(news.host)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            self._beats += 1
            self._load = Counter(active.record.host for active in self._runner.placed())
            if self._beats % COMPARE_BEATS == 0:
                self._compare_wanted.set()
            if not self._bus_works:  # the bus does not work: silent hosts may still run
                continue
            self._bus_works = False
            for number, host in list(self._hosts.items()):
                host.silent_beats += not host.starts
                if host.silent_beats > MAX_MISSED_BEATS:
                    self._lose(number, "no longer answers")

    # --- whose matches go on where

    def _lose(self, host: int, why: str) -> None:
        log.warning("host %d %s; its matches go on elsewhere", host, why)
        rules = self._hosts.pop(host).rules
        self._ended.add(host)
        self.on_lost(host)
        self.announce()  # before others play its matches
        self._spawn(self._reassign_matches(host, rules))

    async def _reassign_matches(self, host: int, rules: dict[str, int] | None = None) -> None:
        """End a host in the database, which takes nothing more from it, and give its matches to those with its rules.

        rules: None for ours, by which its matches were begun as far as is known.
        """
        while True:
            heirs = self._with_rules(self._rules if rules is None else rules) or (0,)
            try:
                await self._store.move_matches(host, heirs, self._factory.wall_s())
            except StoreError as error:
                log.error("the matches of host %d cannot be handed on yet: %s", host, error)
                await asyncio.sleep(RETRY_S)
            else:
                break
        self._on_change()
        self._compare_wanted.set()

    async def _compare_loop(self) -> None:
        while True:
            await self._compare_wanted.wait()
            self._compare_wanted.clear()
            try:
                await self._compare()
            except StoreError as error:
                log.error("the matches of the hosts cannot be compared with the database: %s", error)
                await asyncio.sleep(RETRY_S)
                self._compare_wanted.set()
            except Exception:  # with one match must not keep the others from being compared, now and later
                log.exception("an internal error while the matches of the hosts were compared with the database")

    async def _compare(self) -> None:
        """Update the server's view of its hosts' matches from the database."""
        placed = {active.record.id: active for active in self._runner.placed()}
        stored = await self._store.hosts_of_matches()
        for ended in self._ended.intersection(stored.values()):  # stored for it just after its end
            await self._reassign_matches(ended)
        left = self._factory.left_to_hosts
        for number in left.keys() - stored.keys():
            await self._finish_lost_match(number)
        for number, active in placed.items():
            host = stored.get(number)
            if host is None:
                await self._take_end(active)
            elif host and host != active.record.host:
                self._runner.move_to(active, host)
        for number in left.keys() & stored.keys():
            left[number] = replace(left[number], host=stored[number])
        # matches continued after a taken back move, and those that this server plays from now on
        known = left.keys() | {number for number in stored if self._runner.active(number) is not None}
        unknown = [number for number, host in stored.items() if host and number not in known]
        own = [number for number, host in stored.items() if host == 0 and (number in placed or number in left)]
        if unknown or own:
            for number in own:
                left.pop(number, None)
            found = await self._store.whole_matches([*unknown, *own])
            await continue_matches(self._store, found, self._factory.resume_or_leave)
            self._compare_wanted.set()  # any of them may have ended meanwhile

    async def _take_end(self, active: PlacedMatch) -> None:
        record = await self._store.match(active.record.id)
        if record is not None and record.result is not None:
            stored = StoredMatch(match=record, moves=await self._store.moves(record.id))
            self._runner.ended_elsewhere(record.result, self._factory.final(stored, active.tournament))
        elif record is not None and record.status == "frozen":
            self._runner.frozen_elsewhere(active, record.frozen_reason or "")

    async def _finish_lost_match(self, match_id: MatchId) -> None:
        record = await self._store.match(match_id)
        self._factory.left_to_hosts.pop(match_id, None)
        if record is not None and record.result is not None:
            self._runner.ended_unseen(record, record.result)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        with contextlib.suppress(asyncio.CancelledError):
            if (error := task.exception()) is not None:
                log.error("a task about hosts failed", exc_info=error)
