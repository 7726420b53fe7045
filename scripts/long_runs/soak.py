"""Many bots of mixed encodings and games on one server for a long time; what must hold, and a summary.

python -m scripts.long_runs.soak                              # 200 bots, 30 minutes
python -m scripts.long_runs.soak --bots 20 --minutes 0.05     # the short form
python -m scripts.long_runs.soak --out soak.json              # also every sample, as JSON

The server runs as a process of its own and reports on itself every few seconds. It fails (exit code 1) when a bot was
told anything that the protocol does not allow, a match did not end or ended without a stated reason, the server logged
an error, tasks, sockets or matches are left when the bots are gone, or, in runs of ten minutes and more, the memory
went on growing after the first sixth: by more than a tenth of what it was.  How often a bot moves is set by --think.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import tempfile
import urllib.request
from pathlib import Path
from random import Random
from typing import Any

from scripts.long_runs.harness.random_bots import BotBehaviour, Notes, RandomBot
from scripts.long_runs.harness.watching import Growth, Sample, WatchedServer, growth, left_over, watched
from tabiya.games.registry import names
from tabiya.processes.server_process import warm_rules
from tabiya.protocol.codec import Encoding

JUDGED_FROM_S = 600.0  # memory: before, caches are still filling
MOST_GROWTH = 0.1
LAST_PAIRS_S, LAST_MATCHES_S = 1.0, 120.0  # a pair may be on its way to the table when the bots stop seeking
REQUESTS = ("/", "/api/v1/server", "/api/v1/matches", *(f"/api/v1/standings/{game}" for game in names()), "/metrics")
READ_EVERY_S = 5.0
PAGE_PATIENCE_S = 60.0  # the machine may have other work


def behaviours(count: int, think_s: float, draw: Random, tokens: dict[str, str]) -> list[BotBehaviour]:
    """All bots of a run: half speak JSON.

    tokens: of those whose line is cut now and then.  Every tenth watches matches of others.
    """
    games = names()
    return [
        BotBehaviour(
            name=f"soak{number}",
            encoding=tuple(Encoding)[number % 2],
            games=tuple(draw.sample(games, draw.choice((1, 1, 2, 3)))),
            max_matches=draw.choice((1, 1, 2)),
            think_s=think_s,
            cuts_every_s=60 * think_s if f"soak{number}" in tokens else 0.0,
            token=tokens.get(f"soak{number}", ""),
            watches=number % 10 == 5,
        )
        for number in range(count)
    ]


def register(pages_url: str, name: str) -> str:
    """The token of a new account. Raises OSError."""
    request = urllib.request.Request(
        f"{pages_url}/api/v1/register", json.dumps({"name": name}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(json.load(answer)["token"])


async def read_pages(pages_url: str, notes: Notes) -> None:
    """One reader of the pages, every few seconds, for as long as it is not cancelled."""
    while True:
        for path in REQUESTS:
            try:
                await asyncio.to_thread(_read, pages_url + path)
            except OSError as error:
                notes.fault("reader of the pages", f"{path}: {error}")
        await asyncio.sleep(READ_EVERY_S)


def _read(url: str) -> None:
    with urllib.request.urlopen(url, timeout=PAGE_PATIENCE_S) as answer:
        answer.read()


async def play(server: WatchedServer, chosen: argparse.Namespace, notes: Notes) -> None:
    """All bots, for the time of the run and until their last matches have ended."""
    draw = Random(chosen.seed)
    tokens = {}
    for number in range(0, chosen.bots, 10):
        name = f"soak{number}"
        tokens[name] = await asyncio.to_thread(register, server.pages_url, name)
    bots = [
        RandomBot(behaviour, notes, Random(draw.random()))
        for behaviour in behaviours(chosen.bots, chosen.think, draw, tokens)
    ]
    reader = asyncio.ensure_future(read_pages(server.pages_url, notes))
    tasks = []
    for bot in bots:
        tasks.append(asyncio.ensure_future(bot.run(server.websocket_url)))
        await asyncio.sleep(0.005)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(60 * chosen.minutes):
            await notes.failed.wait()
    notes.hurry = True
    for bot in bots:
        bot.stop_seeking()
    await asyncio.sleep(LAST_PAIRS_S)
    for bot in bots:
        bot.leave()
    _, late = await asyncio.wait(tasks, timeout=LAST_MATCHES_S)
    for task in late:
        notes.fault("a bot", "its last match did not end")
        task.cancel()
    reader.cancel()
    await asyncio.gather(*tasks, reader, return_exceptions=True)
    await server.quiet(server.samples[0], 30.0)


def find_faults(server: WatchedServer, notes: Notes, grown: Growth) -> list[str]:
    """The faults, one sentence each."""
    wrong = notes.faults + server.faults()
    if grown.seconds >= JUDGED_FROM_S and grown.mb > MOST_GROWTH * grown.first_mb:
        wrong.append(f"memory grew by {grown.mb:.1f} MB in {grown.seconds:.0f} s after the warm-up")
    wrong += left_over(server.samples[0], server.samples[-1])
    wrong += [f"match {match} did not end" for match in sorted(notes.running)[:10]]
    if not notes.endings:
        wrong.append("no match has ended")
    return wrong


def summary(chosen: argparse.Namespace, samples: list[Sample], notes: Notes, grown: Growth) -> dict[str, Any]:
    """The figures of the run."""
    first, last = samples[0], samples[-1]
    seconds = last["at_s"] - first["at_s"]
    late = sorted(notes.latencies_ms) or [0.0]
    cuts = statistics.quantiles(late, n=1000) if len(late) > 1 else late * 999
    return {
        "bots": chosen.bots,
        "seconds": round(seconds),
        "moves": notes.moves,
        "moves_per_s": round(notes.moves / seconds, 1),
        "matches_ended": sum(notes.endings.values()),
        "matches_ended_by_game": dict(notes.ended_by_game.most_common()),
        "endings": dict(notes.endings.most_common()),
        "messages_to_bots": sum(notes.messages.values()),
        "messages_from_bots": last["wire_messages"],
        "lines_cut_by_bots": notes.cuts,
        "refusals_of_messages_that_crossed": dict(notes.refusals),
        "most_matches_at_once": max(sample["matches"] for sample in samples),
        "server_cpu_share": round((last["cpu_s"] - first["cpu_s"]) / seconds, 3),
        "worst_loop_lag_ms": max(sample["lag_ms"] for sample in samples),
        "move_to_turn_ms": {"p50": round(cuts[499], 2), "p99": round(cuts[989], 2), "most": round(late[-1], 1)},
        "rss_mb": {"before": first["rss_mb"], "after_warm_up": grown.first_mb, "at_the_end": grown.last_mb},
        "rss_slope_mb_per_hour": round(grown.slope_mb_per_hour, 2),
        "tasks": {"before": first["tasks"], "most": max(each["tasks"] for each in samples), "after": last["tasks"]},
        "sockets": {
            "before": first["sockets"],
            "most": max(each["sockets"] for each in samples),
            "after": last["sockets"],
        },
    }


async def run(chosen: argparse.Namespace, folder: Path) -> int:
    """The whole run; the exit code."""
    notes = Notes()
    warm_rules()  # the bots keep boards, and nothing shall compile while a clock runs
    every_s = min(5.0, 6 * chosen.minutes)
    async with watched(folder, every_s) as server:
        await play(server, chosen, notes)
        playing = [sample for sample in server.samples if sample["connections"]] or server.samples
        grown = growth(playing)
    found = summary(chosen, server.samples, notes, grown)
    wrong = find_faults(server, notes, grown)
    for name, value in found.items():
        print(f"{name:34} {value}")
    print(*wrong or ["nothing failed"], sep="\n", flush=True)
    if chosen.out:
        chosen.out.write_text(json.dumps({"summary": found, "failed": wrong, "samples": server.samples}, indent=1))
    return 1 if wrong else 0


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--think", type=float, default=0.6, help="mean seconds that a bot thinks about a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="file for summary and samples, as JSON")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(chosen, Path(folder)))


if __name__ == "__main__":
    raise SystemExit(main())
