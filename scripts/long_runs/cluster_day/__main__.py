"""A class day on a cluster of which every part is killed, stopped or restarted by seed while the class plays.

python -m scripts.long_runs.cluster_day                                        # 40 bots, 15 minutes
python -m scripts.long_runs.cluster_day --kills 1000                           # until so much was done
python -m scripts.long_runs.cluster_day --only kill_host kill_server --kills 50
python -m scripts.long_runs.cluster_day --bots 6 --kills 2 --every 0.5 --think 0.1    # short

Two servers of which one serves, two hosts, two gateways, a NATS and a PostgreSQL, each a process of its own; the bots,
ours and plain ones, are in this process and know both gateways. They play Swiss and round-robin tournaments in turn,
and a third of them lobby games beside. The database is restarted, and so is the bus; a host is killed, ended, or
stopped for longer than it takes to be given up; a gateway is killed; the server is killed and the other one takes over.
What has ended is started again. One time of four something more is done before all is well again.

The run fails (exit status 1) unless afterwards every move and result that anybody was told is stored as it was told,
every stored move was sent by a bot, no match has stood still, no bot has lost by anything but the rules or its own
resignation, or was withdrawn; every tournament and match is over, `tabiya verify` finds nothing, the ratings shown are
those of a recount, each process that was told to end has done so, and no log tells of an internal error.
It tells how long the matches were without a turn (least, median, 95 %, most, in seconds), by what was done.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import psutil

from scripts.long_runs.checks.lost_on_time import LoopLag
from scripts.long_runs.checks.postconditions import Stored, read_all
from scripts.long_runs.class_day import least_left_s
from scripts.long_runs.cluster_day.cluster import running
from scripts.long_runs.cluster_day.day import WEIGHTS, Day
from scripts.long_runs.cluster_day.outages import spread, summary
from scripts.long_runs.cluster_day.verdict import alarms, charged_s, find_faults
from scripts.long_runs.harness.run_folder import run_folder
from tabiya.games.registry import load_game, names
from tabiya.games.warm import warm

GAMES = (*names()[:2], names()[3])  # the others take minutes with random moves


async def run(chosen: argparse.Namespace, folder: Path) -> int:
    """The whole run; the exit code. SIGTERM breaks it off, and leaves no process."""
    this = asyncio.current_task()
    assert this is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    began_s, before = time.monotonic(), set(children())
    for game in chosen.games:
        warm(load_game(game))  # plain bots keep boards
    async with LoopLag() as lag, running(folder, chosen.hosts, chosen.gateways) as cluster:
        day = Day(cluster, chosen)
        try:
            await day.play()
        finally:
            left = await cluster.close()
        stored = await read_all(cluster.database, lobby=True)
        wrong = [*day.wrong, *left, *find_faults(stored, day.messages, day.tournaments)]
        wrong += alarms(cluster.processes)
    wrong += [f"process {child.pid} is left: {child.cmdline()}" for child in children() if child not in before]
    print(report(day, stored, time.monotonic() - began_s))
    print(f"{lag}; load at the end {os.getloadavg()[1]:.1f}")
    print("\n".join(wrong) or "nothing was lost, doubled or decided by it")
    return bool(wrong)


def children() -> list[psutil.Process]:
    """The processes that this one and its children have started."""
    return psutil.Process().children(recursive=True)


def report(day: Day, stored: Stored, took_s: float) -> str:
    """The summary for people."""
    ends = Counter(match.result.ending for match in stored.matches.values() if match.result)
    moves = sum(len(rows) for rows in stored.rows.values())
    charged = sorted(charged_s(stored, day.messages)) or [0.0]
    p99 = charged[int(0.99 * (len(charged) - 1))]
    return "\n".join([
        f"{took_s:.0f} s, {day.done} faults, {len(day.tournaments)} tournaments",
        f"{sum(ends.values())} games: " + ", ".join(f"{count} {ending}" for ending, count in ends.most_common()),
        f"{day.messages.recorder.moves} moves and {len(day.messages.recorder.ends)} ends were sent, {moves} are stored",
        f"a clock was charged beyond the bot's own time by p99 {p99:.2f} s, at most {charged[-1]:.2f} s of a move",
        f"the least left on a clock was {least_left_s(stored):.1f} s",
        *(f"by itself, {count} times: {words}" for words, count in day.cluster.own_ends.most_common()),
        summary(day.outages),
        f"all: {spread(after_s for outage in day.outages for after_s in outage.after_s)}",
    ])  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=15.0, help="so long something is done")
    parser.add_argument("--kills", type=int, default=0, help="end after so many faults instead")
    parser.add_argument("--every", type=float, default=3.0, help="mean seconds from all being well to the next fault")
    parser.add_argument("--only", nargs="+", default=(), choices=tuple(WEIGHTS), metavar="FAULT",
                        help=f"of {', '.join(WEIGHTS)}")  # fmt: skip
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--gateways", type=int, default=2)
    parser.add_argument("--games", nargs="+", default=GAMES, choices=names(), help="of the tournaments, in turn")
    parser.add_argument("--time", default="120+2", help="time control of the tournaments")
    parser.add_argument("--think", type=float, default=0.7, help="mean seconds of a bot's thinking on a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for the logs; a temporary one if not given")
    chosen = parser.parse_args(arguments)
    print(f"seed {chosen.seed}", flush=True)
    with run_folder(chosen.out) as folder:
        return asyncio.run(run(chosen, folder))


if __name__ == "__main__":
    sys.exit(main())
