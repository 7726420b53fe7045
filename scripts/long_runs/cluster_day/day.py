"""The day: bots play tournaments and lobby games while the cluster is disturbed by seed."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import os
import re
import signal
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable
from random import Random
from typing import Any, TypeVar

from scripts.long_runs.cluster_day.bots import BotMessages, OurBot, PlainBot
from scripts.long_runs.cluster_day.cluster import GATEWAY, HOST, READY, Cluster
from scripts.long_runs.cluster_day.outages import Due, Outage
from scripts.long_runs.cluster_day.verdict import wrong_ratings
from scripts.long_runs.harness.api_client import OVER, hold_tournament
from scripts.long_runs.harness.random_bots import BotBehaviour
from scripts.long_runs.harness.standby_server import POLL_S, CommandProcess
from tabiya.protocol.codec import Encoding
from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId
from tabiya.storage.store import Store

T = TypeVar("T")

STUCK_S = 90.0  # within which each match must go on after an act
STOPPED_S = 4.0, 8.0  # longer than it takes until a host is given up
AWAY_S = 2.0  # of database and bus, at most
TOGETHER = 0.25  # how often something is done before the matches have gone on after the last thing
LAST_GAMES_S = 600.0
FEW = 9  # bots of a round robin
QUIET_S = 3.0  # without a match, after which none begins any more
SEEKERS = 3  # one of so many bots seeks matches beside the tournaments
ROUNDS = 3
RECHECK_S = 5.0
WEIGHTS = {
    "kill_host": 4,
    "stop_host": 2,
    "end_host": 2,
    "kill_gateway": 3,
    "kill_server": 3,
    "restart_database": 2,
    "restart_bus": 2,
}


class Day:
    """The bots on a cluster, and the acts on it. wrong: a sentence for each fault so far.

    outages: for which matches stood still.  done: how many acts there were.
    """

    def __init__(self, cluster: Cluster, chosen: argparse.Namespace) -> None:
        self.cluster, self.chosen = cluster, chosen
        self.draw, self.order = Random(chosen.seed), Random(chosen.seed + 1)
        self.messages = BotMessages()
        self.bots: list[OurBot | PlainBot] = []
        self.wrong: list[str] = []
        self.outages: list[Outage] = []
        self.done = 0
        self.tournaments: list[dict[str, Any]] = []
        self._busy: dict[object, asyncio.Lock] = {}
        self._under_way: set[asyncio.Task[None]] = set()

    # --- the bots

    async def play(self) -> None:
        """Everything, until the last match is over."""
        names = [f"Student {number}" for number in range(1, self.chosen.bots + 1)]
        for number, name in enumerate(names, 1):
            token = str((await self.cluster.ask("/api/v1/register", {"name": name}))["token"])
            behaviour = BotBehaviour(
                name=name,
                encoding=tuple(Encoding)[number // 2 % 2],
                games=tuple(self.chosen.games) if number % SEEKERS == 0 else (),
                max_matches=2,
                think_s=self.chosen.think,
                token=token,
            )
            first = number // 4 % len(self.cluster.urls)
            urls = [*self.cluster.urls[first:], *self.cluster.urls[:first]]
            kind = OurBot if number % 2 else PlainBot
            self.bots.append(kind(number, behaviour, urls, self.messages, Random(self.draw.random())))
        playing = [asyncio.create_task(bot.play()) for bot in self.bots]
        disturbing = asyncio.create_task(self.disturb())
        try:
            await self._hold_tournaments(names, disturbing)
            await disturbing
            await self._finish()
            self.wrong += await self._wrong_ratings()
            for bot, task in zip(self.bots, playing, strict=True):
                if task.done():
                    self.wrong.append(f"{bot.behaviour.name} plays no more: {task.exception()!r}")
        finally:
            for task in (disturbing, *self._under_way, *playing):
                task.cancel()
            await asyncio.gather(disturbing, *self._under_way, *playing, return_exceptions=True)

    async def _hold_tournaments(self, names: list[str], disturbing: asyncio.Task[None]) -> None:
        while not disturbing.done() or not self.tournaments:
            order, ends_s = self._tournament(len(self.tournaments), names), math.inf
            while True:
                found = await hold_tournament(self.cluster, order, RECHECK_S)
                ends_s = min(ends_s, time.monotonic() + LAST_GAMES_S) if disturbing.done() else math.inf
                if found["status"] in OVER or time.monotonic() > ends_s:
                    break
            self.tournaments.append(found)

    def _tournament(self, number: int, names: list[str]) -> dict[str, Any]:
        is_swiss = number % 2 == 0
        bots = names if is_swiss else sorted(self.draw.sample(names, min(FEW, len(names))))
        name = f"{'Swiss' if is_swiss else 'Round robin'} {number}"
        order = {
            "name": name,
            "key": name,  # asked again after a kill, it is still one tournament
            "game": self.chosen.games[number % len(self.chosen.games)],
            "format": "swiss" if is_swiss else "round_robin",
            "bots": bots,
            "time_control": self.chosen.time,
            "concurrency": len(bots),
            "seed": number + 1,
        }
        return order | ({"rounds": ROUNDS} if is_swiss else {})

    async def _finish(self) -> None:
        """Let the last matches end."""
        for bot in self.bots:
            if isinstance(bot, OurBot):
                await bot.stop_seeking()
            else:
                bot.stop_seeking()
        quiet_s = 0.0  # a match that was made as the bots stopped to seek is not heard of at once
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_GAMES_S):
                while quiet_s < QUIET_S:
                    await asyncio.sleep(POLL_S)
                    quiet_s = 0.0 if self.messages.running else quiet_s + POLL_S

    async def _wrong_ratings(self) -> list[str]:
        """The standings that differ from the results; waits, since during a slow fit the previous one is shown."""
        ends_s = time.monotonic() + STUCK_S
        while True:
            shown = {game: await self.cluster.ask(f"/api/v1/standings/{game}") for game in self.chosen.games}
            wrong = await wrong_ratings(self.cluster.database, shown)
            if not wrong or time.monotonic() > ends_s:
                return wrong
            await asyncio.sleep(RECHECK_S)

    # --- what is done

    async def disturb(self) -> None:
        """Act by seed until the number or the time is reached; returns when matches have gone on."""
        kinds = [kind for kind in WEIGHTS if not self.chosen.only or kind in self.chosen.only]
        weights = [WEIGHTS[kind] for kind in kinds]
        ends_s = math.inf if self.chosen.kills else time.monotonic() + 60 * self.chosen.minutes
        await self._all_play()
        while self.done < (self.chosen.kills or math.inf) and time.monotonic() < ends_s:
            await asyncio.sleep(self.order.expovariate(1 / self.chosen.every))
            (kind,), together = self.order.choices(kinds, weights), self.order.random() < TOGETHER
            if not together:
                await asyncio.gather(*self._under_way)
                await self._all_well()
            self.done += 1
            task = asyncio.create_task(self._carried_out(kind))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        await asyncio.gather(*self._under_way)
        self.messages.notes.hurry = True

    async def _all_well(self) -> None:
        """Wait until all processes are ready."""
        await self.cluster.roles()
        for process in (*self.cluster.hosts, *self.cluster.gateways):
            while not (process.runs and READY.search(process.output)):  # noqa: ASYNC110 - nor do processes
                await asyncio.sleep(POLL_S)

    async def _all_play(self) -> None:
        """Wait until matches run: an act before that would be no test."""
        async with asyncio.timeout(STUCK_S):
            while len(self.messages.running) < len(self.bots) // 3:  # noqa: ASYNC110 - its bots tell nobody
                await asyncio.sleep(POLL_S)

    async def _carried_out(self, kind: str) -> None:
        act: Callable[[], Awaitable[None]] = getattr(self, f"_{kind}")
        try:
            await act()
        except (Exception, SystemExit) as error:
            self.wrong.append(f"{kind}: {''.join(traceback.format_exception(error))}")

    def _alone(self, what: object) -> asyncio.Lock:
        return self._busy.setdefault(what, asyncio.Lock())

    def _begins(self, kind: str, waiting: Iterable[Due]) -> Outage:
        outage = Outage(kind, waiting, os.getloadavg()[0])
        for other in self.messages.outages:
            other.alone = outage.alone = False
        self.messages.outages.append(outage)
        self.outages.append(outage)
        return outage

    async def _goes_on(self, outage: Outage) -> None:
        """Wait until all matches have gone on."""
        try:
            await outage.over(STUCK_S)
        except TimeoutError:
            stuck = sorted({match for match, _ in outage.waiting})
            self.wrong.append(f"{STUCK_S:.0f} s after {outage.kind} there was no turn in the matches {stuck}")
        self.messages.outages.remove(outage)
        print(
            f"{outage.kind}: {len(outage.after_s)} turns, last after {max(outage.after_s, default=0):.1f} s",
            flush=True,
        )

    @property
    def _all_matches(self) -> set[Due]:
        return {(match, 0) for match in self.messages.running}

    async def _kill_server(self) -> None:
        async with self._alone("server"):
            serving, _ = await self.cluster.roles()
            plays = await self._hosts_of_matches()
            own = {(match, 0) for match in self.messages.running if not plays.get(MatchId(match))}
            outage = self._begins("kill_server", own)
            at_hosts = self._begins("kill_server, matches of hosts", self._all_matches - own)
            outage.alone = at_hosts.alone = len(self.messages.outages) == 2
            await self._signal(serving, signal.SIGKILL)
            outage.is_done()
            at_hosts.is_done()
            await self.cluster.until_served()
            outage.serves_s = time.monotonic() - outage.began_s
            await self._goes_on(at_hosts)
            await self._goes_on(outage)

    async def _restart_database(self) -> None:
        async with self._alone("database"):
            mode = self.draw.choice(["immediate", "fast"])
            outage = self._begins("restart_database", self._all_matches)
            await asyncio.to_thread(self.cluster.postgres.stop, mode)
            outage.is_done()
            await asyncio.sleep(self.draw.uniform(0, AWAY_S))
            await asyncio.to_thread(self.cluster.postgres.start)
            await self._goes_on(outage)

    async def _restart_bus(self) -> None:
        async with self._alone("bus"):
            outage = self._begins("restart_bus", self._all_matches)
            await self.cluster.bus.kill()
            outage.is_done()
            await asyncio.sleep(self.draw.uniform(0, AWAY_S))
            await self.cluster.bus.start()
            await self._goes_on(outage)

    async def _kill_gateway(self) -> None:
        def due(url: str) -> list[Due]:
            there = {bot.number for bot in self.bots if bot.url == url}
            return [(match, bot) for match, bots in self.messages.running.items() for bot in bots & there]

        gateway, waiting = await self._ready(self.cluster.gateways, GATEWAY, due)
        async with self._alone(gateway):
            outage = self._begins("kill_gateway", waiting)
            await self._signal(gateway, signal.SIGKILL)
            outage.is_done()
            await self._goes_on(outage)

    async def _kill_host(self) -> None:
        await self._to_host("kill_host", signal.SIGKILL)

    async def _end_host(self) -> None:
        await self._to_host("end_host", signal.SIGTERM)

    async def _to_host(self, kind: str, number: signal.Signals) -> None:
        host, waiting = await self._ready_host()
        async with self._alone(host):
            outage = self._begins(kind, waiting)
            if number == signal.SIGTERM:  # other hosts have its matches before it has ended
                outage.is_done()
            status = await self._signal(host, number)
            outage.is_done()
            if number == signal.SIGTERM and status != 0:
                self.wrong.append(f"{host.name}, told to end, has ended with {status}: see {host.log}")
            await self._goes_on(outage)

    async def _stop_host(self) -> None:
        host, waiting = await self._ready_host()
        async with self._alone(host):
            outage = self._begins("stop_host", waiting)
            life = host.process
            self.cluster.to_end.add(host)
            life.send_signal(signal.SIGSTOP)
            outage.is_done()
            await asyncio.gather(self._goes_on(outage), asyncio.sleep(self.draw.uniform(*STOPPED_S)))
            life.send_signal(signal.SIGCONT)
            known = await self._stored(lambda store: store.hosts())
            if any(each.ended_at for each in known if re.search(f"host {each.number} plays", host.output)):
                async with asyncio.timeout(STUCK_S):
                    await life.wait()
            else:  # there was no server that could give it up
                self.cluster.to_end.discard(host)

    async def _ready_host(self) -> tuple[CommandProcess, list[Due]]:
        """One of the hosts, and its matches."""
        plays = await self._hosts_of_matches()

        def due(number: str) -> list[Due]:
            return [(match, 0) for match in self.messages.running if plays.get(MatchId(match)) == int(number)]

        return await self._ready(self.cluster.hosts, HOST, due)

    async def _ready(
        self, processes: list[CommandProcess], says: str, due: Callable[[str], list[Due]]
    ) -> tuple[CommandProcess, list[Due]]:
        """A ready, undisturbed process and the turns that it owes; waits until there is one.

        One that owes nothing only if all do.  due: what it owes that has said this.
        """
        async with asyncio.timeout(STUCK_S):
            while True:
                found = [
                    (process, due(found[1]))
                    for process in processes
                    if process.runs and not self._alone(process).locked() and (found := re.search(says, process.output))
                ]
                if found:
                    return self.draw.choice([each for each in found if each[1]] or found)
                await asyncio.sleep(POLL_S)

    async def _signal(self, process: CommandProcess, number: signal.Signals) -> int:
        """Send it, and wait for the end; the exit status."""
        life = process.process
        self.cluster.to_end.add(process)
        life.send_signal(number)
        return await life.wait()

    async def _hosts_of_matches(self) -> dict[MatchId, int]:
        return await self._stored(lambda store: store.hosts_of_matches())

    async def _stored(self, asked: Callable[[Store], Awaitable[T]]) -> T:
        """The answer of the database, as soon as there is one."""
        while True:
            with contextlib.suppress(StoreError):  # it is being restarted
                store = await open_store(self.cluster.database, create=False, readers=1, read_only=True)
                try:
                    return await asked(store)
                finally:
                    await store.close()
            await asyncio.sleep(POLL_S)
