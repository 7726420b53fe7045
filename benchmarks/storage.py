"""How many moves a second the store makes durable, by group commit and by a transaction per move, in one run.

python -m benchmarks.storage                          # SQLite in a temporary folder
python -m benchmarks.storage --durability power       # every transaction waits for the disk
python -m benchmarks.storage --durability both        # what that costs: one after the other, in one run
python -m benchmarks.storage --rate 10000             # how long a save takes at this rate
python -m benchmarks.storage --url postgresql://USER@HOST/EMPTY_DATABASE

Every match has one move under way, as on the server: the next is submitted when the last is answered.  Rows are full,
with what the bot said of its thinking.  The quotient of the two is the figure to compare between machines.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from msgspec import Struct

from tabiya.storage import open_store
from tabiya.storage.errors import StoreError
from tabiya.storage.records import MatchId, MoveRecord, NewMatch, SeatRecord
from tabiya.storage.sql import checkpoint, sqlite_engine
from tabiya.storage.sql.store import SqlStore
from tabiya.storage.store import Durability
from tabiya.storage.writes import AppendMove

INFO = {"depth": 11, "score": 34, "nodes": 1_234_567, "time_ms": 812, "pv": ["c4", "e3", "f6", "e6", "f5", "c5"]}


class Measured(Struct, frozen=True):
    """One way of saving.  p50_ms and so on: from submission to answer."""

    moves_per_s: float
    rows_per_transaction: float
    p50_ms: float
    p99_ms: float
    p999_ms: float


class Load:
    """Matches that go on until told to stop."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.latencies: list[float] = []
        self.stopping = False
        self.playing = 0
        self.stopped = asyncio.Event()

    def play(self, match_id: MatchId, ply: int) -> None:
        """Save this ply, then the next."""
        submitted = time.perf_counter()

        def done(error: StoreError | None) -> None:
            if error is not None:
                raise SystemExit(f"saving failed: {error}")
            self.latencies.append(time.perf_counter() - submitted)
            if self.stopping:
                self.playing -= 1
                if self.playing == 0:
                    self.stopped.set()
            else:
                self.play(match_id, ply + 1)

        self.store.submit(AppendMove(full_move(match_id, ply)), done)

    def measured(self, took_s: float, transactions: int) -> Measured:
        """The result of the run."""
        count = len(self.latencies)
        cuts = [1000 * cut for cut in statistics.quantiles(self.latencies, n=1000)]
        return Measured(count / took_s, count / transactions, cuts[499], cuts[989], cuts[998])


def full_move(match_id: MatchId, ply: int) -> MoveRecord:
    """A row with everything in it."""
    return MoveRecord(
        match_id=match_id,
        ply=ply,
        text="e3",
        seat=ply % 2,
        remaining_us=(59_123_456, 58_123_456),
        server_us=310,
        network_us=900,
        think_us=812_345,
        info=INFO,
        sent_at=1_750_000_000.5,
        at=1_750_000_001.25,
    )


async def measure(store: SqlStore, ids: list[MatchId], first_ply: int, seconds: float) -> tuple[Measured, int]:
    """Play in these matches for so long; what was measured, and a ply that no match has reached."""
    load = Load(store)
    load.playing = len(ids)
    batches, began = store.writer.batches, time.perf_counter()
    for match_id in ids:
        load.play(match_id, first_ply)
    await asyncio.sleep(seconds)
    load.stopping = True
    await load.stopped.wait()
    found = load.measured(time.perf_counter() - began, store.writer.batches - batches)
    return found, first_ply + len(load.latencies)


async def new_matches(store: SqlStore, count: int) -> list[MatchId]:
    """Matches of two bots that this run makes."""
    now = time.time()
    bots = [await store.create_bot(f"bench-{now:.6f}-{number}", created_at=now) for number in range(2)]
    first, second = (SeatRecord(bot_id=bot.id, bot=bot.name) for bot in bots)
    new = (
        NewMatch(
            key=f"bench-{now:.6f}-{number}",
            game="benchmark",
            rules_version=1,
            start_text="",
            time_control="none",
            seats=(first, second),
            rated=False,
            stall_limit_ms=1000,
            remaining_us=(0, 0),
            created_at=now,
        )
        for number in range(count)
    )
    return list(await asyncio.gather(*(store.create_match(match) for match in new)))


async def run(url: str, durability: Durability, matches: int, seconds: float) -> None:
    """Measure both ways and print them."""
    grouped, single = await both_ways(url, durability, matches, seconds)
    print(f"{matches} matches, one move under way in each, durability {durability!r}")
    print_table({"group commit": grouped, "commit per move": single})
    print(f"group commit saves {grouped.moves_per_s / single.moves_per_s:.1f} times as many moves a second")


async def run_both(urls: dict[Durability, str], matches: int, seconds: float) -> None:
    """Measure what it costs to survive power loss and print it."""
    rows: dict[str, Measured] = {}
    for durability, url in urls.items():
        rows[f"{durability}, grouped"], rows[f"{durability}, each alone"] = await both_ways(
            url, durability, matches, seconds
        )
    print(f"{matches} matches, one move under way in each")
    print_table(rows)
    for way in ("grouped", "each alone"):
        process, power = rows[f"process, {way}"], rows[f"power, {way}"]
        share, longer = power.moves_per_s / process.moves_per_s, power.p99_ms / process.p99_ms
        print(f"{way}: power saves {share:.0%} of the moves a second of process, its p99 is {longer:.1f} times as long")


async def both_ways(url: str, durability: Durability, matches: int, seconds: float) -> tuple[Measured, Measured]:
    """Saving with one transaction for all waiting moves, and with a transaction for each move."""
    store = await open_sql(url, durability)
    try:
        ids = await new_matches(store, matches)
        _, ply = await measure(store, ids, 0, min(1.0, seconds))
        grouped, ply = await measure(store, ids, ply, seconds)
        store.writer.most = 1
        single, _ = await measure(store, ids, ply, seconds)
    finally:
        await store.close()
    return grouped, single


async def run_at_rate(url: str, durability: Durability, matches: int, seconds: float, rate: int) -> None:
    """Submit so many moves a second, however long the answers take, and print how long they took."""
    store = await open_sql(url, durability)
    try:
        ids = await new_matches(store, matches)
        load, sent, before, began = Load(store), 0, store.writer.batches, time.perf_counter()
        load.stopping = True  # nothing follows an answer
        while (elapsed := time.perf_counter() - began) < seconds:
            due = int(elapsed * rate)
            for number in range(sent, due):
                load.playing += 1
                load.stopped.clear()
                load.play(ids[number % matches], number // matches)
            sent = due
            await asyncio.sleep(0.001)
        await load.stopped.wait()
        found = load.measured(time.perf_counter() - began, store.writer.batches - before)
    finally:
        await store.close()
    print_table({f"{rate} moves/s": found})


async def open_sql(url: str, durability: Durability) -> SqlStore:
    """The store, which must be in a database."""
    store = await open_store(url, durability=durability)
    if not isinstance(store, SqlStore):
        raise SystemExit("a store in memory makes nothing durable")
    return store


def print_table(measured: dict[str, Measured]) -> None:
    """One line for each way."""
    print(f"{'':20} {'moves/s':>9} {'rows/commit':>12} {'p50 ms':>8} {'p99 ms':>8} {'p99.9 ms':>9}")
    for name, found in measured.items():
        print(
            f"{name:20} {found.moves_per_s:9.0f} {found.rows_per_transaction:12.1f}"
            f" {found.p50_ms:8.2f} {found.p99_ms:8.2f} {found.p999_ms:9.2f}"
        )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="an empty database; default: SQLite in a temporary folder")
    parser.add_argument("--durability", choices=("process", "power", "both"), default="process")
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--uvloop", action="store_true", help="the event loop that the server uses where it exists")
    parser.add_argument("--rate", type=int, help="submit so many moves a second instead, and print how long each took")
    parser.add_argument("--checkpoint-inside", action="store_true", help="let SQLite carry its log over in the commits")
    chosen = parser.parse_args()
    if chosen.checkpoint_inside:
        checkpoint.ROWS, sqlite_engine.MOST_PAGES_IN_LOG = 2**62, 1000
    with tempfile.TemporaryDirectory() as folder:
        url = chosen.url or str(Path(folder, "bench.db"))
        if chosen.durability == "both":
            if chosen.rate:
                parser.error("--rate takes one durability")
            urls: dict[Durability, str] = {
                "process": chosen.url or str(Path(folder, "process.db")),
                "power": chosen.url or str(Path(folder, "power.db")),
            }
            work = run_both(urls, chosen.matches, chosen.seconds)
        elif chosen.rate:
            work = run_at_rate(url, chosen.durability, chosen.matches, chosen.seconds, chosen.rate)
        else:
            work = run(url, chosen.durability, chosen.matches, chosen.seconds)
        if chosen.uvloop:
            import uvloop

            uvloop.run(work)
        else:
            asyncio.run(work)


if __name__ == "__main__":
    main()
