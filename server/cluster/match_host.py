"""A host: plays the matches that the server gives it, with bots behind gateways, and saves them itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from tabiya.protocol.messages import Watching
from tabiya.server.cluster.bus import HOSTS, Bus, news_subject, orders_subject
from tabiya.server.cluster.host_dispatcher import HostDispatcher
from tabiya.server.cluster.link import HEARTBEAT_S
from tabiya.server.cluster.messages import (
    AbortMatch,
    DecideMatch,
    HostNews,
    HostPresence,
    MatchState,
    Order,
    PlayMatch,
    pack,
    unpack,
)
from tabiya.server.cluster.remote_gateways import RemoteGateways
from tabiya.server.cluster.rules import rules_here
from tabiya.server.config import ServerConfig
from tabiya.server.core import events
from tabiya.server.matches.continue_matches import continue_matches
from tabiya.server.settings import RunningSettings
from tabiya.server.transport.base import Clock
from tabiya.server.transport.loop_lag import LoopLagMonitor
from tabiya.storage.errors import StoreError
from tabiya.storage.records import MatchId, ResultRecord
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.host")

REPORT_INTERVAL_S = 0.1
MOST_STATES = 50
"""States are sent at most this late: one costs half as much as a move, and nobody sees every move of many matches."""
CHECK_BEATS = 4  # from one look into the database to the next, if the server asks for none
REASSIGN_TIMEOUT_S = 5.0  # a leaving host waits at most this long until others have its matches
SERVERLESS_BEATS = 1  # without a word of the server, from which on bots that are away are waited for


class MatchHost:
    """One host: `await start()`, then it runs until `await stop()`. dispatcher: its matches and who plays them."""

    def __init__(
        self,
        config: ServerConfig,
        bus: Bus,
        store: Store,
        number: int,
        now_ns: Clock = time.monotonic_ns,
        wall_ns: Clock = time.time_ns,
        *,
        gateway: str = "",
    ) -> None:
        """store: of the host of this number; store and bus are closed with the host.  gateway: as of `HostPresence`."""
        self.number, self._config, self._bus, self._store = number, config, bus, store
        self._settings = RunningSettings(store, config)
        self.dispatcher = HostDispatcher(store, config, now_ns, wall_ns)
        self._runner = self.dispatcher.runner
        self._lag_monitor = LoopLagMonitor(now_ns, self.dispatcher.process_paused)
        parts = bus, number, self.dispatcher, config.limits, now_ns, self._lag_monitor
        self.gateways = RemoteGateways(*parts, is_server=False, gateway=gateway, rules=rules_here())
        self._loop = asyncio.get_running_loop()
        self._server = self._last_news = 0  # number of the server, and of the last news to it
        self._serverless_beats, self._server_seen_ns = 0, now_ns()
        self._ended: list[ResultRecord] = []
        self._changed: dict[int, Watching | None] = {}  # for ended matches: the last state
        self._report_planned = self._leaves = False
        self._check_wanted = asyncio.Event()
        self._named: set[MatchId] = set()  # matches at which the server has said to look
        self._checks_all = False  # at the next beat: the earlier report may be lost
        self._given_before: set[MatchId] | None = None  # when all were looked at last; None: take what there is
        self._tasks: list[asyncio.Task[None]] = []
        self.dispatcher.on_ended = self._match_ended
        self._runner.spectators.on_change = self._match_changed
        self._runner.on_going_on = lambda new: self._take_all()
        self._orders: dict[type, Callable[[Any], None]] = {
            PlayMatch: lambda order: self._check_match(order.match),
            DecideMatch: lambda order: self._end(
                order.match, events.Adjudicated(order.winner, order.reason, self._runner.now_ns())
            ),
            AbortMatch: lambda order: self._end(order.match, events.Aborted(order.reason, self._runner.now_ns())),
        }

    async def start(self) -> None:
        """Listen on the bus. Raises BusError."""
        self._lag_monitor.start()
        await self._bus.subscribe(orders_subject(self.number), self._ordered)
        await self._bus.subscribe(HOSTS, self._host_is)
        await self.gateways.start()
        self._take_all()  # matches may have been given to it before
        self._tasks = [asyncio.create_task(work) for work in (self._beat(), self._check_loop())]

    async def stop(self, *, hands_on: bool = True) -> None:
        """Save what is under way and leave the matches to other hosts; bots notice a pause.

        hands_on: whether to wait until the server has given them to others.
        """
        self._runner.close()
        self._lag_monitor.stop()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REASSIGN_TIMEOUT_S):
                while self._store.waiting:  # noqa: ASYNC110 - as the server does when it closes
                    await asyncio.sleep(REPORT_INTERVAL_S / 10)
                self._leaves = hands_on
                while hands_on and not await self._is_handed_on():
                    self._report()
                    await asyncio.sleep(REPORT_INTERVAL_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.gateways.stop()
        await self.dispatcher.settle()
        await self._bus.close()
        await self._store.close()

    async def _is_handed_on(self) -> bool:
        with contextlib.suppress(StoreError):
            return any(record.number == self.number and record.ended_at for record in await self._store.hosts())
        return False

    # --- what it is told

    def _host_is(self, data: bytes) -> None:
        presence = unpack(data, HostPresence)
        if presence is None or not presence.is_server or presence.host < self._server:
            return
        self._serverless_beats, self._server_seen_ns = 0, self._runner.now_ns()
        if presence.host > self._server:
            self._server, self._last_news = presence.host, 0
            self._changed |= {active.record.id: None for active in self._runner.running()}
            self._report()

    def _ordered(self, data: bytes) -> None:
        order = unpack(data, Order)
        if order is not None and order.server >= self._server:
            self._orders[type(order.what)](order.what)

    def _check_match(self, match: int) -> None:
        self._named.add(MatchId(match))
        self._check_wanted.set()

    def _check_all(self) -> None:
        self._checks_all = True
        self._check_wanted.set()

    def _take_all(self) -> None:
        self._given_before = None
        self._check_all()

    def _end(self, match: int, event: events.Event) -> None:
        self._runner.post_to(match, event)

    async def _check_loop(self) -> None:
        while True:
            await self._check_wanted.wait()
            self._check_wanted.clear()
            try:
                await self._start_given_matches()
            except StoreError as error:
                log.error("the matches to play here cannot be read from the database: %s", error)

    async def _start_given_matches(self) -> None:
        """Start matches given to this host and not running yet: those that the server named, or now and then all.

        What was not there when all were looked at last, the server may not know to be stored. Bots that come meanwhile
        would not find it in their welcome, so it is left to the server to name it, or until the next time.
        """
        named = frozenset(self._named)
        given = named
        if self._checks_all:
            self._checks_all = False
            hosts, before = await self._store.hosts_of_matches(), self._given_before
            self._given_before = {match for match, host in hosts.items() if host == self.number}
            given |= self._given_before if before is None else self._given_before & before
        if new := [match for match in given if self.dispatcher.is_new(match)]:
            self.dispatcher.match_factory.use(await self._settings.load())
            found = await self._store.whole_matches(new)
            ours = tuple(stored for stored in found.matches if stored.match.host == self.number)
            await continue_matches(self._store, replace(found, matches=ours), self.dispatcher.match_factory.take_up)
        self._named -= named

    # --- what it tells

    def _match_ended(self, result: ResultRecord) -> None:
        self._ended.append(result)
        self._loop.call_soon(self._report)

    def _match_changed(self, match: int, final: Watching | None) -> None:
        self._changed[match] = final or self._changed.get(match)
        self._plan_report()

    def _plan_report(self) -> None:
        if not self._report_planned:
            self._report_planned = True
            self._loop.call_later(REPORT_INTERVAL_S, self._report_changes)

    def _report_changes(self) -> None:
        self._report_planned = False
        self._report()

    def _report(self) -> None:
        """Report news to the server, or send a sign of life; not too many running matches at once."""
        finals = {match: final for match, final in self._changed.items() if final is not None}
        going_on = [match for match, final in self._changed.items() if final is None][:MOST_STATES]
        for match in (*finals, *going_on):
            del self._changed[match]
        states = [state for match in (*finals, *going_on) if (state := self._state(match, finals.get(match)))]
        ended, self._ended = {int(result.match_id): result for result in self._ended}, []
        for at in range(0, len(states) or 1, MOST_STATES):
            some = states[at : at + MOST_STATES]
            # each result goes with the last state of its match
            over = [ended.pop(reported.state.match) for reported in some if reported.state.match in ended]
            is_last = at + MOST_STATES >= len(states)
            self._publish((*over, *(ended.values() if is_last else ())), tuple(some))
        if self._changed:
            self._plan_report()

    def _publish(self, ended: tuple[ResultRecord, ...], states: tuple[MatchState, ...]) -> None:
        self._last_news += 1
        parts = self.number, self._server, self._last_news, ended, states, self._runner.moves_saved, self._leaves
        self._bus.publish(news_subject(self._server), pack(HostNews(*parts)))

    def _state(self, match: int, final: Watching | None) -> MatchState | None:
        state, active = final or self._runner.snapshot(match), self._runner.active(match)
        if state is None:
            return None
        return MatchState(state, bool(active and active.is_thinking), bool(active and active.frozen))

    async def _beat(self) -> None:
        beats = 0
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            beats += 1
            self._serverless_beats += 1
            if self._serverless_beats > SERVERLESS_BEATS:
                self.dispatcher.serverless(self._server_seen_ns)
            if beats % CHECK_BEATS == 0:
                self._check_all()
            self._report()
