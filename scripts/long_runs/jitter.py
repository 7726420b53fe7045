"""Forty bots behind lines that come up to 100 ms late each way, at 10+0.1: nobody may lose on time through it.

python -m scripts.long_runs.jitter                                          # a Swiss of 40 bots, 5 rounds of reversi
python -m scripts.long_runs.jitter --bots 6 --rounds 1 --game nim           # short

The lines run through a proxy on loopback that delays every chunk by 0 to `--jitter` ms, drawn anew in each direction;
bytes keep their order. On loopback there is no lag credit: what the line takes is charged in full, and still nobody may
lose on time. Every such loss is told with its account, and so is the least that was left on any clock.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from scripts.long_runs.crashing_server import RestartableServer, hold_tournament
from scripts.long_runs.forfeits import LoopLag, accounts, endings
from scripts.long_runs.postconditions import Stored, faults_in, read_all
from scripts.long_runs.proxy import LinkConditions, Proxy
from scripts.long_runs.random_bots import BotBehaviour, Notes, TournamentBot, playing
from scripts.long_runs.wire_recorder import WireRecorder
from tabiya.games.registry import names
from tabiya.protocol.codec import Encoding

CLOCK = "10+0.1"
LOOK_S = 0.5


async def play(chosen: argparse.Namespace, folder: Path) -> tuple[Stored, WireRecorder, Notes, LoopLag]:
    """The whole run."""
    server, recorder, notes, loop_lag = (
        RestartableServer(folder / "jitter.db", folder),
        WireRecorder(),
        Notes(),
        LoopLag(),
    )
    await server.start()
    conditions = LinkConditions(jitter_s=chosen.jitter / 1_000)
    proxy = Proxy(lambda: server.address, Random(chosen.seed), conditions, recorder.listener)
    url = f"ws://127.0.0.1:{await proxy.start()}"
    watching = asyncio.ensure_future(loop_lag.watch())
    try:
        async with playing(students(chosen, notes), url):
            await tournament(server, chosen)
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await proxy.stop()
        await server.close()
    return await read_all(server.database), recorder, notes, loop_lag


def students(chosen: argparse.Namespace, notes: Notes) -> list[TournamentBot]:
    """The bots: they think for a moment and play any legal move; half speak JSON."""
    draw = Random(chosen.seed)
    return [
        TournamentBot(
            BotBehaviour(
                name=f"Far {number}",
                encoding=tuple(Encoding)[number % 2],
                games=(),
                max_matches=1,
                think_s=chosen.think,
            ),
            notes,
            Random(draw.random()),
        )
        for number in range(chosen.bots)
    ]


async def tournament(server: RestartableServer, chosen: argparse.Namespace) -> None:
    """From the arrival of all bots to the last game."""
    while sum(bot["connected"] for bot in (await server.ask("/api/bots"))["bots"]) < chosen.bots:  # noqa: ASYNC110
        await asyncio.sleep(LOOK_S)
    bots = [f"Far {number}" for number in range(chosen.bots)]
    order = {"name": "Far away", "game": chosen.game, "format": "swiss", "bots": bots, "rounds": chosen.rounds}
    more: dict[str, Any] = {"time_control": CLOCK, "concurrency": chosen.bots, "strikes": 0, "no_show_s": 600}
    await hold_tournament(server, order | more | {"seed": chosen.seed})


def least_left_s(stored: Stored) -> float:
    """The least that was left on a clock after a move."""
    return min((min(row.remaining_us) for rows in stored.rows.values() for row in rows), default=0) / 1e6


def judged(stored: Stored, recorder: WireRecorder, notes: Notes) -> list[str]:
    """Everything that is wrong, a sentence each."""
    results = {number: match.result for number, match in stored.matches.items() if match.result is not None}
    lost = [f"lost on time: {text}" for text in accounts(stored.matches.values())]
    return lost + notes.faults + faults_in(stored) + recorder.missing(stored.rows, results)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--game", default=names()[-2], choices=names())
    parser.add_argument("--jitter", type=float, default=100.0, help="ms, one way")
    parser.add_argument("--think", type=float, default=0.03, help="mean seconds of a bot's thinking on a move")
    parser.add_argument("--seed", type=int, default=1)
    chosen, began = parser.parse_args(arguments), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tabiya-jitter-") as folder:
        stored, recorder, notes, loop_lag = asyncio.run(play(chosen, Path(folder)))
    found, ends = judged(stored, recorder, notes), endings(stored.matches.values())
    took_s, moves = time.monotonic() - began, sum(len(rows) for rows in stored.rows.values())
    print(f"{chosen.bots} bots, {chosen.jitter:g} ms of jitter each way, {CLOCK}, {took_s:.0f} s, {moves} moves")
    print(f"load {os.getloadavg()[1]:.1f} at the end; {loop_lag}")
    for game, of in ends.items():
        print(f"{sum(of.values())} games of {game}: " + ", ".join(f"{n} {ending}" for ending, n in of.most_common()))
    print(f"the least left on a clock was {least_left_s(stored):.1f} s")
    print("\n".join(found) or "nobody has lost anything through the line", flush=True)
    return 1 if found or not ends else 0


if __name__ == "__main__":
    raise SystemExit(main())
