"""A match of thousands of bullet games on a Dask cluster whose workers come and go, and whose scheduler is killed.

python -m scripts.long_runs.lost_workers                                  # 5,000 games of Nim at 1+0.01
python -m scripts.long_runs.lost_workers --games 150 --every 5            # short

Every so many seconds a worker is killed (SIGKILL), sent away (SIGTERM) or started, at random; the scheduler is killed
once, after a quarter of the games, and the match goes on with `--resume` on a new one. The run fails (exit code 1) if a
game is missing or there twice, if the score that was printed is not that of a recount of the stored games, if `tabiya
verify` finds a fault, or if a game ended by anything but the rules or the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from scripts.long_runs.checks.postconditions import as_sentence
from scripts.long_runs.harness.dask_cluster import DaskCluster
from scripts.long_runs.harness.run_folder import run_folder
from tabiya.games.endings import BY_RULES, LOST_ON_TIME
from tabiya.server.archive.verify import verify
from tabiya.server.matches.pair_keys import place_in_run
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchRecord

POLL_S = 0.05


def games_in(path: Path) -> int:
    """How many games that are over the database in this file has; 0 if there is none yet."""
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        try:
            return int(database.execute("select count(*) from matches where status = 'ended'").fetchone()[0])
        except sqlite3.OperationalError:  # it has no tables yet
            return 0


class Match:
    """The command, which writes what it says into a file."""

    def __init__(self, folder: Path, database: Path, words: list[str]) -> None:
        self._database = database
        self._log, self._out = folder / "match.log", folder / "match.json"
        with self._log.open("ab") as log, self._out.open("wb") as out:
            self.process = subprocess.Popen([sys.executable, "-m", "tabiya", "match", *words], stdout=out, stderr=log)

    @property
    def done(self) -> int:
        """How many games are stored."""
        return games_in(self._database)

    @property
    def values(self) -> Any:
        """Its final output. Raises SystemExit with its last line if it has failed."""
        if self.process.wait():
            raise SystemExit(f"the match has ended with {self.process.returncode}: {self.last_words}")
        return json.loads(self._out.read_text())

    @property
    def last_words(self) -> str:
        """The last line that it said."""
        return self._log.read_text().splitlines()[-1]


class Disturbance:
    """Ends and starts workers at random, so that there is one at least and `most` at most."""

    def __init__(self, draw: Random, most: int) -> None:
        self._draw, self._most = draw, most
        self.acts = Counter[str]()

    def act(self, cluster: DaskCluster) -> None:
        """Do one thing."""
        possible = ["started"] * (len(cluster.workers) < self._most)
        possible += ["killed", "sent away"] * (len(cluster.workers) > 1)
        what = self._draw.choice(possible)
        self.acts[what] += 1
        if what == "started":
            cluster.start_worker()
        else:
            place = self._draw.randrange(len(cluster.workers))
            cluster.end_worker(place, signal.SIGKILL if what == "killed" else signal.SIGTERM)


def play_until(match: Match, cluster: DaskCluster, disturbance: Disturbance, every_s: float, games: int) -> None:
    """Disturb until so many games are stored or the match is over."""
    acts_at = time.monotonic() + every_s
    while match.process.poll() is None and match.done < games:
        time.sleep(POLL_S)
        if time.monotonic() > acts_at:
            disturbance.act(cluster)
            acts_at = time.monotonic() + every_s


def run(chosen: argparse.Namespace, folder: Path) -> int:
    """The whole run; the exit code."""
    database, began = folder / "games.db", time.monotonic()
    words = [*chosen.players, "-g", chosen.game, "-n", str(chosen.games), "-t", chosen.time, "-d", str(database)]
    words += ["--format", "json", "--workers"]
    disturbance = Disturbance(Random(chosen.seed), chosen.workers)
    with DaskCluster(folder / "first", chosen.workers) as cluster:
        match = Match(folder, database, [*words, cluster.address])
        play_until(match, cluster, disturbance, chosen.every, chosen.games // 4)
        cluster.scheduler.kill()
        status = match.process.wait()
        print(f"the scheduler was killed after {match.done} games: {status}, {match.last_words}", flush=True)
    with DaskCluster(folder / "second", chosen.workers) as cluster:
        match = Match(folder, database, [*words, cluster.address, "--resume"])
        play_until(match, cluster, disturbance, chosen.every, chosen.games + 1)
    took_s = time.monotonic() - began
    faults = asyncio.run(faults_in(str(database), chosen.games, match.values))
    if status != 1:
        faults.append(f"the match whose scheduler was killed has ended with {status}")
    print(f"{chosen.games} games in {took_s:.0f} s, {chosen.games / took_s:.1f} a second; load {os.getloadavg()}")
    print("workers: " + ", ".join(f"{count} {what}" for what, count in sorted(disturbance.acts.items())))
    print("\n".join(faults) or "no fault")
    return bool(faults)


async def faults_in(database: str, games: int, printed: Any) -> list[str]:
    """The faults of the database, and of the printed score, a sentence each."""
    store = await open_store(database, create=False)
    try:
        faults = [as_sentence(fault) for fault in (await verify(store)).faults]
        records = await store.list_matches(MatchFilter(limit=10 * games))
    finally:
        await store.close()
    aborted = [record for record in records if record.result is None or record.result.ending == "aborted"]
    whole = [record for record in records if record not in aborted]
    print(f"{len(whole)} games stored, {len(aborted)} that were cut off while they were stored")
    return faults + faults_of(whole, games, printed)


def faults_of(records: list[MatchRecord], games: int, printed: Any) -> list[str]:
    """The same of the games that have a result."""
    times = Counter(place[1] for record in records if (place := place_in_run(record.key)) is not None)
    faults = [f"game {number} is there {times[number]} times" for number in range(games) if times[number] != 1]
    names = [player["player"] for player in printed["players"]]
    wins = [0, 0]
    for record in records:
        assert record.result is not None
        if record.result.winner is not None:
            wins[names.index(record.seats[record.result.winner].bot)] += 1
        if record.result.ending not in BY_RULES | LOST_ON_TIME:
            faults.append(f"match {record.id} has ended by {record.result.ending}")
    reported = [player["wins"] for player in printed["players"]]
    if wins != reported:
        faults.append(f"the wins are {wins}, and {reported} were printed")
    return faults


def main(words: list[str] | None = None) -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--players", nargs=2, default=["random", "greedy"])
    parser.add_argument("--game", default="nim")
    parser.add_argument("--time", default="1+0.01")
    parser.add_argument("--workers", type=int, default=3, help="at most at the same time")
    parser.add_argument("--every", type=float, default=15.0, help="seconds from one act to the next")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for database and logs; a temporary one if not given")
    chosen = parser.parse_args(words)
    print(f"seed {chosen.seed}")
    with run_folder(chosen.out) as folder:
        return run(chosen, folder)


if __name__ == "__main__":
    sys.exit(main())
