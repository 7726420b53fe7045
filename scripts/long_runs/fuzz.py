"""Bent, broken and hostile messages: at the codec, at a whole server, and guided by what of the code they reach.

python -m scripts.long_runs.fuzz server --messages 1000000       # a server process, hostile peers, a pair that plays on
python -m scripts.long_runs.fuzz codec --messages 1000000        # the codec alone: nothing but CodecError
python -m scripts.long_runs.fuzz guided codec --seconds 300      # coverage-guided, with the package atheris
python -m scripts.long_runs.fuzz guided wire --seconds 300       # bytes of a connection into gateway and host

Every run prints its seed; the same seed draws the same messages. Exit code 1 when anything failed. The server's run
fails when the server logged an error, sent what is no message, did not close where it must, left tasks, sockets or
matches behind or kept growing, or when the well-behaved pair that plays all the while saw a wrong board, a wrong
result, or a closed line. A tenth of the messages go to a server with its usual limits; the others to one that closes
nobody for flooding, so that more than the limits is tried.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from scripts.long_runs.fuzzing.hostile_clients import HostileClients
from scripts.long_runs.fuzzing.mutations import MessageMutator, try_codec
from scripts.long_runs.harness.bot_processes import ROOT
from scripts.long_runs.harness.watching import WatchedServer, growth, left_over, watched
from tabiya.protocol.codec import Encoding

MANY = 1_000_000_000
OPEN_LIMITS: dict[str, Any] = {
    "limit_messages_per_second": MANY, "limit_message_burst": MANY, "limit_bad_messages": MANY,
}  # fmt: skip
SHORT_TIMES: dict[str, Any] = {
    "abandon_ms": 2_000, "stall_limit_ms": 5_000, "time_control": "2+0.1", "limit_challenge_s": 2.0,
}  # fmt: skip
USUAL_SHARE = 0.1
MOST_GROWTH = 0.15
JUDGED_FROM_S = 60.0
# What the pair may wait for a turn, once in a hundred: so long, and so many times as long as the machine takes to wake
# the pair's own process, since a move goes through the server, both bots and back.
MOST_P99_MS, TIMES_LATE = 500.0, 10
OPEN_WAIT_S = 65.0  # a match waits for a minute for players who have gone before it began


def fuzz_codec(messages: int, seed: int) -> list[str]:
    """So many frames through the codec, each as either sender's and in either encoding. Returns the failures."""
    mutator, outcomes, began = MessageMutator(Random(seed), no_message=0.3), Counter[str](), time.monotonic()
    for number in range(messages):
        frame = mutator.frame(tuple(Encoding)[number % 2])
        try:
            outcomes.update(try_codec(frame, Encoding))
        except Exception as error:
            return [f"seed {seed}, frame {number} {frame!r}: {error!r}"]
    print(f"{messages} frames, each read 4 ways, in {time.monotonic() - began:.0f} s: {dict(outcomes)}")
    return []


async def fuzz_server(messages: int, seed: int, at_once: int, wait_s: float) -> list[str]:
    """A tenth with the usual limits, then the rest. What failed.

    wait_s: for the matches that are left to end; too short for that, they are not asked for.
    """
    usual = round(USUAL_SHARE * messages)
    run = Run(at_once, wait_s)
    wrong = await _phase("usual limits", usual, seed, run, SHORT_TIMES)
    return wrong + await _phase("no limit of messages", messages - usual, seed + 1, run, SHORT_TIMES | OPEN_LIMITS)


class Run(NamedTuple):
    """at_once: hostile peers at a time.  wait_s: for the last matches to end."""

    at_once: int
    wait_s: float


async def _phase(title: str, messages: int, seed: int, run: Run, settings: dict[str, Any]) -> list[str]:
    """One server, from its start to its end."""
    if not messages:
        return []
    with tempfile.TemporaryDirectory() as folder:
        async with watched(Path(folder), 2.0 if messages > 50_000 else 0.2, **settings) as server:
            baseline = server.samples[0]
            pair, began = await _honest_pair(server), time.monotonic()
            hostile = await _attack(server, messages, Random(seed), run.at_once)
            took_s = time.monotonic() - began
            loaded = list(server.samples)
            with contextlib.suppress(ProcessLookupError):  # it has found a fault
                pair.terminate()
            output, _ = await pair.communicate()
            await server.quiet(baseline, run.wait_s)
        wrong = (
            hostile.wrong
            + server.faults()
            + left_over(baseline, server.samples[-1], but=() if run.wait_s >= OPEN_WAIT_S else ("matches",))
            + _grown(loaded)
        )
        honest: dict[str, Any] = json.loads(output) if output else {"wrong": ["the pair said nothing"], "moves": 0}
        wrong += honest["wrong"] + ([] if honest["moves"] else ["the pair has not moved"])
        if honest.get("p99_ms", 0.0) > MOST_P99_MS + TIMES_LATE * honest.get("woken_late_p99_ms", 0.0):
            wrong.append(f"the pair waited {honest['p99_ms']} ms for one turn in a hundred")
        _print(title, hostile, took_s, server, honest)
        return [f"{title}, seed {seed}: {sentence}" for sentence in wrong]


async def _honest_pair(server: WatchedServer) -> asyncio.subprocess.Process:
    """Start the honest pair and wait until both are seated, so that no hostile client can take their names."""
    command = ("-m", "scripts.long_runs.fuzzing.honest_pair", server.websocket_url)
    pair = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    while (await server.next_sample())["bots"] < 2 and pair.returncode is None:
        pass
    return pair


async def _attack(server: WatchedServer, messages: int, draw: Random, at_once: int) -> HostileClients:
    """Hostile peers, `at_once` at a time, until the server has read so many messages."""
    bots, pages = urlsplit(server.websocket_url), urlsplit(server.pages_url)
    assert bots.hostname is not None
    hostile = HostileClients(bots.hostname, bots.port or 0, pages.port or 0, draw)

    async def on_and_on() -> None:
        while server.samples[-1]["wire_messages"] < messages and not hostile.wrong:
            await hostile.act()

    await asyncio.gather(*(on_and_on() for _ in range(at_once)))
    return hostile


def _grown(samples: list[dict[str, Any]]) -> list[str]:
    found = growth(samples)
    if found.seconds < JUDGED_FROM_S or found.mb <= MOST_GROWTH * found.first_mb:
        return []
    return [f"memory grew by {found.mb:.0f} MB in {found.seconds:.0f} s, from {found.first_mb:.0f} MB"]


def _print(title: str, hostile: HostileClients, took_s: float, server: WatchedServer, honest: dict[str, Any]) -> None:
    found, last = growth(server.samples), server.samples[-1]
    read = last["wire_messages"]
    print(f"{title}: {read} messages read by the server in {took_s:.0f} s, {read / took_s:.0f} a second")
    print(f"  peers: {dict(hostile.did)}\n  closed with: {dict(hostile.closes.most_common())}")
    print(f"  answered with: {dict(hostile.answers.most_common())}")
    print(f"  the server: {last}")
    print(f"  memory: {found.first_mb:.0f} MB after the warm-up, {found.last_mb:.0f} MB at the end")
    print(f"  the pair, whose moves are among the messages: {honest}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("server", "codec", "guided"))
    parser.add_argument("target", nargs="?", choices=("codec", "wire"), default="codec", help="of guided")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=300, help="of guided")
    parser.add_argument("--corpus", type=Path, help="of guided: a folder that keeps what reached new code")
    parser.add_argument("--at-once", type=int, default=8, help="hostile peers at a time")
    parser.add_argument("--wait", type=float, default=90.0, help="seconds for the last matches to end")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    print(f"seed {chosen.seed}", flush=True)
    if chosen.what == "guided":
        from scripts.long_runs.fuzzing.guided import run_guided

        return run_guided(chosen.target, chosen.seconds, chosen.seed, chosen.corpus)
    if chosen.what == "codec":
        wrong = fuzz_codec(chosen.messages, chosen.seed)
    else:
        wrong = asyncio.run(fuzz_server(chosen.messages, chosen.seed, chosen.at_once, chosen.wait))
    print(*wrong or ["nothing failed"], sep="\n", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
