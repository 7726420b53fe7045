"""Kill a server with SIGKILL at random moments while tournaments of every format run, and count every game at the end.

    python -m benchmarks.killed [--kills 100] [--seed 1] [--folder DIRECTORY] [--formats swiss,knockout]
    python -m benchmarks.killed --database postgresql://USER@HOST/DATABASE       # an empty one

A server process on a database (a file of its own unless told), six bots on websockets that come back whenever their
line breaks, and one tournament of each format, all at once; when all of them are over before enough kills, the next
ones begin. After each kill the server is started on the same database. At the end every tournament must have ended with
each scheduled game exactly once, on the right seats, and with the result that its table counts, and every clock must
follow from the accounts of its moves. Exit status 1 if not.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from scripts.long_runs.crashing_server import START_S, RestartableServer, unfinished_tournaments
from scripts.long_runs.postconditions import faults_in, read_all

BOTS = tuple(f"bot{number}" for number in range(6))
GAME = "tictactoe"
LONGEST_S = 3_600.0
FORMS: dict[str, dict[str, Any]] = {
    "round_robin": {"rounds": 2},
    "gauntlet": {"challengers": 2, "rounds": 2},
    "swiss": {"rounds": 5},
    "knockout": {},
    "ladder": {"games": 40},
    "sprt": {"games": 40, "bots": BOTS[:2]},
}


class Plan(NamedTuple):
    """A campaign. folder: for the log, and for the database where no address of one is given."""

    folder: Path
    kills: int = 100
    seed: int = 1
    database: str = ""
    formats: tuple[str, ...] = tuple(FORMS)


class Outcome(NamedTuple):
    """What came of it. cut: kills while tournaments ran.  games: with a result, by format.  faults: a sentence each."""

    kills: int
    cut: int
    sets: int
    games: Counter[str]
    faults: list[str]


async def keeps_playing(server: RestartableServer, name: str, seed: int) -> None:
    """A bot that plays at random and connects again whenever its line breaks."""
    draw = Random(seed)
    while True:
        with contextlib.suppress(OSError, WebSocketException, TimeoutError, ValueError):
            async with connect(server.websocket, max_size=None) as line:
                await line.send(json.dumps({"type": "hello", "name": name, "max_matches": 6}))
                async for text in line:
                    turn = json.loads(text)
                    if turn["type"] == "turn":
                        await asyncio.sleep(draw.uniform(0.0, 0.02))
                        answer = {"match": turn["match"], "ply": turn["ply"], "move": draw.choice(turn["legal_moves"])}
                        await line.send(json.dumps({"type": "move"} | answer))
        await asyncio.sleep(draw.uniform(0.02, 0.1))


async def one_of_each(server: RestartableServer, formats: tuple[str, ...], seed: int) -> None:
    """A tournament of each format; one whose answer was lost to a kill is ordered again with the same key."""
    async with asyncio.timeout(START_S):
        while sum(bot["connected"] for bot in (await server.ask("/api/bots"))["bots"]) < len(BOTS):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    for form in formats:
        order = {
            "name": f"{form} {seed}",
            "key": f"{form} {seed}",
            "game": GAME,
            "format": form,
            "bots": BOTS,
            "time_control": "60+0",
        }
        more = {"seed": seed, "concurrency": 3, "rated": False, "strikes": 0, "no_show_s": 600}
        await server.ask("/api/tournaments", order | more | FORMS[form])


async def campaign(plan: Plan) -> Outcome:
    """Play, kill, start again, until enough kills and the end of all tournaments."""
    draw, server = Random(plan.seed), RestartableServer(plan.database or plan.folder / "killed.db", plan.folder)
    bots: list[asyncio.Task[None]] = []
    try:
        await server.start()
        bots += [asyncio.create_task(keeps_playing(server, name, plan.seed + at)) for at, name in enumerate(BOTS)]
        sets = killed = cut = 0
        async with asyncio.timeout(LONGEST_S):
            while killed < plan.kills or await unfinished_tournaments(server):
                if killed < plan.kills and not await unfinished_tournaments(server):
                    sets += 1
                    await one_of_each(server, plan.formats, plan.seed + sets)
                if killed < plan.kills:
                    await asyncio.sleep(draw.uniform(0.0, 1.5))
                    await server.end(signal.SIGKILL)
                    killed += 1
                    await server.start()
                    cut += bool(await unfinished_tournaments(server))
                else:
                    await asyncio.sleep(0.2)
    finally:
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
        await server.close()
    return Outcome(killed, cut, sets, *await counted(server.database))


async def counted(database: str) -> tuple[Counter[str], list[str]]:
    """How many games the tournaments of a database have, by format, and what is wrong with them."""
    stored, games = await read_all(database), Counter[str]()
    for record, matches in stored.tournaments:
        games[record.format] += sum(match.result is not None for match in matches)
    return games, faults_in(stored)


def formats_in(text: str) -> tuple[str, ...]:
    """Names of formats, with commas between. Raises argparse.ArgumentTypeError."""
    named = tuple(text.split(","))
    for unknown in set(named) - set(FORMS):
        raise argparse.ArgumentTypeError(f"there is no format {unknown!r}; there are {', '.join(FORMS)}")
    return named


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=None, help="where database and log are left; else nowhere")
    parser.add_argument("--database", default="", help="address of an empty database; else a file in the folder")
    parser.add_argument("--formats", type=formats_in, default=tuple(FORMS), help="with commas between; else all")
    given, began = parser.parse_args(), time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        came = asyncio.run(campaign(Plan(folder, given.kills, given.seed, given.database, given.formats)))
    took = time.perf_counter() - began
    print(f"seed {given.seed}: {came.kills} kills, {came.cut} of them with tournaments running, {took:.0f} s")
    print(f"{came.sets} tournaments of each of {', '.join(given.formats)}")
    print("games by format: " + ", ".join(f"{form} {number}" for form, number in sorted(came.games.items())))
    print("\n".join(came.faults) or "every tournament has ended with each game exactly once")
    raise SystemExit(bool(came.faults))


if __name__ == "__main__":
    main()
