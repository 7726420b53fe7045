"""A real server and real bots, killed, stopped, cut off and flooded by seed while tournaments run; then every count.

python -m scripts.long_runs.chaos --seed 1 --minutes 10                          # everything
python -m scripts.long_runs.chaos --only kill_server --acts 200 --every 1.5      # the server killed 200 times
python -m scripts.long_runs.chaos --only kill_server --acts 30 --database postgresql://USER@HOST/EMPTY_DATABASE
python -m scripts.long_runs.chaos --acts 4 --every 0.5 --games nim --bots 3    # short

The server is `tabiya serve`; the bots are processes too: our client with worker processes, and the example that knows
nothing but websockets. All lines run through a proxy on loopback, which makes them bad and hears what the server says.
One tournament follows the other, of the games and the formats in turn. The run fails (exit status 1) unless afterwards

* every move and result that anybody was told is in the database, as it was told, clocks included;
* every scheduled game has exactly one result, and `tabiya db check` and the accounts of all clocks find nothing;
* no bot that was left alone (only its line was bad) has lost by time, absence or an illegal move, and every such loss
  of the others fell into the time in which something was done to them;
* no process is left behind, no bot has ended by itself, nothing was logged as an error, no match is frozen.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

from scripts.long_runs.checks.postconditions import Stored, faults_in, read_all
from scripts.long_runs.checks.wire_recorder import WireRecorder
from scripts.long_runs.fuzzing.hostile_clients import HostileClients
from scripts.long_runs.harness.api_client import unfinished_tournaments
from scripts.long_runs.harness.bot_processes import ROOT, BotProcess, ours, plain
from scripts.long_runs.harness.proxy import Proxy
from scripts.long_runs.harness.restartable_server import RestartableServer
from scripts.long_runs.harness.run_folder import run_folder
from tabiya.games.registry import names

NAMES = ("Ada", "Bob", "Eve", "Fay", "Cyd", "Dan")  # ours and the plain one in turn
VICTIMS = frozenset({"Eve", "Fay"})  # of the others only the lines are bad
CLOCK = "30+0.3"
PLAYER, WORKERS = str(ROOT / "scripts/long_runs/harness/any_move.py") + ":AnyMove", 2
OWN_FAULT = frozenset({"time", "time_cannot_win", "stall", "abandoned", "illegal_moves"})
CONNECTED_S, PLAYING_S, LAST_GAMES_S = 120.0, 30.0, 600.0
POLL_S = 0.2
AFTER_S = 10.0  # how long an act on a bot may have effects: it starts again, connects, gets its turn
FLOODERS = 4
USUAL_MINUTES = 10.0
FORMATS: dict[str, dict[str, Any]] = {
    "round_robin": {},
    "gauntlet": {},
    "swiss": {"rounds": 3},
    "knockout": {},
    "ladder": {"games": 12},
    "sprt": {"games": 12},
}
Act = Callable[[], Awaitable[None]]


class Arena:
    """Server, proxy and bots of one run. did: how often each act was done.  wrong: a sentence for each fault."""

    def __init__(self, folder: Path, seed: int, names: tuple[str, ...] = NAMES, database: str = "") -> None:
        self.draw, self.folder, self.names = Random(seed), folder, names
        self.order = Random(seed + 2)  # which act when: nothing else draws from it, so that a seed always does the same
        self.server = RestartableServer(database or folder / "chaos.db", folder, spare=True)
        self.recorder = WireRecorder()
        self.proxy = Proxy(lambda: self.server.address, Random(seed + 1), tap=self.recorder.listener)
        self.bots: dict[str, BotProcess] = {}
        self.did: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._busy: dict[str, asyncio.Lock] = {}
        self.acts: dict[str, tuple[int, Act]] = {
            "kill_server": (3, self.kill_server),
            "stop_server": (3, self.stop_server),
            "end_server": (1, self.end_server),
            "kill_bot": (3, self.kill_bot),
            "stop_bot": (3, self.stop_bot),
            "kill_worker": (3, self.kill_worker),
            "cut_line": (6, self.cut_line),
            "cut_all_lines": (1, self.cut_all_lines),
            "half_close_line": (3, self.half_close_line),
            "hold_line": (4, self.hold_line),
            "slow_line": (3, self.slow_line),
            "flood": (3, self.flood),
        }

    async def open(self) -> None:
        """Start everything; returns when all bots are connected."""
        await self.server.start()
        url = f"ws://127.0.0.1:{await self.proxy.start()}"
        for number, name in enumerate(self.names):
            token = (await self.server.ask("/api/v1/register", {"name": name}))["token"]
            command = plain(url, name) if number % 2 else ours(PLAYER, url, name, WORKERS)
            self.bots[name] = BotProcess(name, command, self.folder, token)
            self.bots[name].start()
        async with asyncio.timeout(CONNECTED_S):
            while await self._connected() < len(self.bots):  # noqa: ASYNC110
                await asyncio.sleep(POLL_S)

    async def _connected(self) -> int:
        return sum(bot["connected"] for bot in (await self.server.ask("/api/v1/bots"))["bots"])

    async def close(self) -> None:
        """End everything, each part in order."""
        for bot in self.bots.values():
            if not bot.is_running:
                self.wrong.append(f"{bot.name} has ended by itself: {bot.log_text()[-300:]!r}")
            self.wrong += await bot.end()
            if "Traceback" in bot.log_text():
                self.wrong.append(f"{bot.name} has logged a traceback: see {self.folder / bot.name}.log")
        await self.proxy.stop()
        if (status := await self.server.close()) != 0:
            self.wrong.append(f"the server ended with status {status}")

    # --- what is done to the server

    async def kill_server(self) -> None:
        """SIGKILL, and another life."""
        async with self._alone("server"):
            await self._playing()
            await self.server.end(signal.SIGKILL)
            await asyncio.sleep(self.draw.choice((0.0, 0.0, 1.0)))
            await self.server.start()

    async def _playing(self) -> None:
        """Wait until a move is sent in this life of the server: a kill before that would be no test."""
        before = self.recorder.moves
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PLAYING_S):
                while self.recorder.moves < before + self.draw.randrange(1, 30):  # noqa: ASYNC110
                    await asyncio.sleep(self.draw.uniform(0.0, 0.02))

    async def end_server(self) -> None:
        """SIGTERM, as for a new version."""
        async with self._alone("server"):
            if (status := await self.server.end(signal.SIGTERM)) != 0:
                self.wrong.append(f"the server ended with status {status}")
            await self.server.start()

    async def stop_server(self) -> None:
        """SIGSTOP, for a moment or for longer than a standstill is."""
        async with self._alone("server"):
            self.server.send(signal.SIGSTOP)
            await asyncio.sleep(self.draw.uniform(0.05, 3.0))
            self.server.send(signal.SIGCONT)

    # --- what is done to bots

    async def kill_bot(self) -> None:
        """SIGKILL, and started again."""
        await self._to_victim(self._kill)

    async def _kill(self, bot: BotProcess) -> None:
        self.wrong += await bot.kill()
        await asyncio.sleep(self.draw.uniform(0.0, 2.0))
        bot.start()

    async def stop_bot(self) -> None:
        """SIGSTOP, and on."""
        await self._to_victim(self._stop)

    async def _stop(self, bot: BotProcess) -> None:
        bot.send(signal.SIGSTOP)
        await asyncio.sleep(self.draw.uniform(0.2, 4.0))
        bot.send(signal.SIGCONT)

    async def _to_victim(self, act: Callable[[BotProcess], Awaitable[None]]) -> None:
        bot = self.bots[self.draw.choice([name for name in self.names if name in VICTIMS])]
        async with self._alone(bot.name):
            began = time.time()
            await act(bot)
            bot.acts.append((began, time.time()))

    async def kill_worker(self) -> None:
        """SIGKILL to a process in which one of our bots thinks; the bot must replace it and lose nothing."""
        thinkers = [bot for bot in self.bots.values() if bot.is_running and bot.name not in VICTIMS and bot.family()]
        if thinkers:
            bot = self.draw.choice(thinkers)
            self.draw.choice(bot.family()).kill()

    # --- what is done to lines

    async def cut_line(self) -> None:
        """Reset one."""
        self._one_line(lambda line: line.cut())

    async def cut_all_lines(self) -> None:
        """Reset all at once, so that all bots come back together."""
        for line in list(self.proxy.lines):
            line.cut()

    async def half_close_line(self) -> None:
        """Close one direction of a line."""
        to_server = self.draw.random() < 0.5
        self._one_line(lambda line: line.half_close(to_server=to_server))

    async def hold_line(self) -> None:
        """Interrupt a line for a while, as a network partition does."""
        seconds = self.draw.uniform(0.1, 3.0)
        self._one_line(lambda line: line.hold(seconds))

    async def slow_line(self) -> None:
        """Make a line slow for a while."""
        seconds = self.draw.uniform(1.0, 5.0)
        self._one_line(lambda line: line.throttle(20_000, seconds))

    def _one_line(self, act: Callable[[Any], None]) -> None:
        if self.proxy.lines:
            act(self.draw.choice(self.proxy.lines))

    async def flood(self) -> None:
        """Hostile peers, at both ports, some at once."""
        host, port = self.server.address
        pages = int(self.server.pages.rpartition(":")[2])
        hostile = [HostileClients(host, port, pages, Random(self.draw.random())) for _ in range(FLOODERS)]
        before = self.server.lives
        await asyncio.gather(*(each.act() for each in hostile))
        if self.server.lives == before:  # a request that a dying server leaves unanswered is no fault
            self.did["hostile sessions"] += FLOODERS

    def _alone(self, what: str) -> asyncio.Lock:
        return self._busy.setdefault(what, asyncio.Lock())


# --- the run


async def hold_tournaments(arena: Arena, chosen: argparse.Namespace, is_over: Callable[[], bool]) -> None:
    """One tournament after the other, until the acts are over and so is the last of them, and there were enough."""
    number = 0
    while not is_over() or number < chosen.tournaments:
        await arena.server.ask("/api/v1/tournaments", tournament(list(arena.bots), number, chosen))
        number += 1
        began_waiting: float | None = None
        while await unfinished_tournaments(arena.server):
            await asyncio.sleep(POLL_S)
            if not all(arena.bots[name].is_running for name in arena.names if name not in VICTIMS):
                return  # it has ended by itself, which `close` says; its games would never end
            began_waiting = (began_waiting or time.monotonic()) if is_over() else None
            if began_waiting is not None and time.monotonic() - began_waiting > LAST_GAMES_S:
                arena.wrong.append(f"{LAST_GAMES_S:.0f} s after the last act the tournament is not over")
                return


def tournament(bots: list[str], number: int, chosen: argparse.Namespace) -> dict[str, Any]:
    """What is ordered, games and formats in turn."""
    game, form = chosen.games[number % len(chosen.games)], chosen.formats[number % len(chosen.formats)]
    name = f"{game}, {form} {number}"
    return (
        {
            "name": name,
            "key": name,  # asked again after a kill, it is still one tournament
            "game": game,
            "format": form,
            "bots": bots[:2] if form == "sprt" else bots,
            "time_control": CLOCK,
            "concurrency": len(bots),
            "no_show_s": 600,
            "strikes": 0,
            "rated": False,
            "seed": number + 1,
        }
        | FORMATS[form]
    )


async def disturb(arena: Arena, only: tuple[str, ...], chosen: argparse.Namespace) -> None:
    """Acts by seed until there were enough, or the time is over; returns when the last has been undone."""
    kinds = {name: act for name, act in arena.acts.items() if not only or name in only}
    under_way: set[asyncio.Task[None]] = set()
    minutes = chosen.minutes or (USUAL_MINUTES if chosen.acts is None else math.inf)
    ends, most = time.monotonic() + 60 * minutes, math.inf if chosen.acts is None else chosen.acts
    while sum(arena.did[name] for name in kinds) < most and time.monotonic() < ends:
        await asyncio.sleep(arena.order.expovariate(1 / chosen.every))
        (name,) = arena.order.choices(list(kinds), [weight for weight, _ in kinds.values()])
        arena.did[name] += 1
        task = asyncio.ensure_future(_carried_out(arena, name, kinds[name][1]))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        if name.endswith("_server"):  # a life begins before the next act
            await task
    await asyncio.gather(*under_way)


async def _carried_out(arena: Arena, name: str, act: Act) -> None:
    try:
        await act()
    except Exception as error:
        arena.wrong.append(f"{name}: {error!r}")


async def campaign(chosen: argparse.Namespace, folder: Path) -> Arena:
    """The whole run, up to the end of all processes."""
    arena = Arena(folder, chosen.seed, NAMES[: chosen.bots], chosen.database)
    disturbing: asyncio.Future[None] | None = None
    try:
        await arena.open()
        disturbing = asyncio.ensure_future(disturb(arena, chosen.only, chosen))
        await hold_tournaments(arena, chosen, disturbing.done)
        await disturbing
    finally:
        if disturbing is not None:
            disturbing.cancel()
        await arena.close()
    return arena


# --- the verdict


def find_faults(arena: Arena, stored: Stored) -> list[str]:
    """Everything that is wrong, a sentence each."""
    results = {number: match.result for number, match in stored.matches.items() if match.result is not None}
    found = arena.wrong + faults_in(stored) + arena.recorder.missing(stored.rows, results)
    found += [f"match {number} is frozen" for number, match in stored.matches.items() if match.status == "frozen"]
    found += [sentence for bot, sentence, explained in forfeits(arena, stored) if not explained]
    log = arena.server.log.read_text("utf-8", "replace").splitlines()
    found += [f"the log: {line}" for line in log if " ERROR " in line or " CRITICAL " in line or "Traceback" in line]
    if not arena.recorder.moves:
        found.append("nobody was told a move")
    return found


def forfeits(arena: Arena, stored: Stored) -> list[tuple[str, str, bool]]:
    """The losers by their own fault, the account in words, and whether an act on the bot explains it."""
    found = []
    for match in stored.matches.values():
        result = match.result
        if result is None or result.ending not in OWN_FAULT:
            continue
        loser = match.seats[1 - result.winner].bot if result.winner is not None else "nobody"
        limit_s = max(result.remaining_us) / 1e6 + match.stall_limit_ms / 1e3
        since = result.ended_at - limit_s - AFTER_S
        done = arena.bots[loser].acts if loser in arena.bots else []
        is_explained = result.ending != "illegal_moves" and any(
            began < result.ended_at and until > since for began, until in done
        )
        found.append((loser, f"match {match.id}: {result.reason}", is_explained))
    return found


def report(arena: Arena, stored: Stored, chosen: argparse.Namespace, took_s: float) -> str:
    """The summary for people."""
    ends = Counter(match.result.ending for match in stored.matches.values() if match.result is not None)
    moves = sum(len(rows) for rows in stored.rows.values())
    lost, held = forfeits(arena, stored), Counter(record.format for record, _ in stored.tournaments)
    return "\n".join([
        f"seed {chosen.seed}, {took_s:.0f} s, {arena.server.lives} lives of the server, {arena.proxy.made} lines",
        "done: " + ", ".join(f"{name} {count}" for name, count in sorted(arena.did.items())),
        f"{arena.recorder.moves} moves and {len(arena.recorder.ends)} ends were told, {moves} moves are stored",
        f"{len(stored.tournaments)} tournaments: "
        + ", ".join(f"{count} {form}" for form, count in sorted(held.items())),
        f"{sum(ends.values())} games: " + ", ".join(f"{count} {ending}" for ending, count in ends.most_common()),
        *(f"lost by its own fault, {'explained' if fine else 'NOT EXPLAINED'}: {text}" for _, text, fine in lost),
    ])  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = sorted(Arena(Path(), 0).acts)
    found.add_argument("--seed", type=int, default=1)
    found.add_argument(
        "--minutes", type=float, help=f"end after so long [{USUAL_MINUTES:g}, or when all acts are done]"
    )
    found.add_argument("--acts", type=int, help="end after so many acts")
    found.add_argument("--every", type=float, default=1.0, help="mean seconds between two acts")
    found.add_argument("--only", nargs="+", default=(), choices=kinds, metavar="ACT", help=f"of {', '.join(kinds)}")
    found.add_argument("--bots", type=int, default=len(NAMES), choices=range(3, len(NAMES) + 1))
    found.add_argument("--games", nargs="+", default=names(), choices=names(), help="of the tournaments, in turn")
    found.add_argument("--formats", nargs="+", default=tuple(FORMATS), choices=tuple(FORMATS), help="in turn, too")
    found.add_argument("--tournaments", type=int, default=1, help="at least so many")
    found.add_argument("--folder", type=Path, help="where database and logs are left; else nowhere")
    found.add_argument("--database", default="", help="address of an empty database; else a file in the folder")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run, print, and say by the exit status whether all was well."""
    chosen, began = parser().parse_args(arguments), time.monotonic()
    with run_folder(chosen.folder) as folder:
        arena = asyncio.run(campaign(chosen, folder))
        stored = asyncio.run(read_all(arena.server.database))
        found = find_faults(arena, stored)
        print(report(arena, stored, chosen, time.monotonic() - began))
    print("\n".join(found) or "nothing was lost, doubled or unexplained", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
