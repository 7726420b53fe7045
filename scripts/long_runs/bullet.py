"""Bullet: built-in bots at 0.2+0.002 over loopback, two games at a time, no lag credit; who loses on time, and why.

python -m scripts.long_runs.bullet --games 20000                      # a fifth of each game
python -m scripts.long_runs.bullet --games 20000 --minutes 30         # as many as half an hour allows
python -m scripts.long_runs.bullet --games 300 --of reversi --seed 7  # other openings
python -m scripts.long_runs.bullet --games 200 --clock 1+0.01         # not quite as fast
python -m scripts.long_runs.bullet --games 4 --player random --of nim    # short
python -m scripts.long_runs.bullet --read FOLDER     # only tell what a run has left in its --folder

The server is `tabiya serve`, each bot a process of our client with two workers; every game belongs to a round robin of
the server's own. Every game lost on time is told with its account, and the rate with its upper bound. A machine that
has other work to do shows only itself, so its load is told, too. For each game is also told what else went wrong: games
lost by a crash or illegal moves, illegal moves, workers and lines lost, whatever else the logs say. Exit status 1 if
any of that is there, or if one game in 2,000 or more is lost on time: that is what fastchess claims for itself at this
time control with engines on pipes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.long_runs.checks.bot_logs import Troubles, troubles
from scripts.long_runs.checks.lost_on_time import LoopLag, accounts, endings, upper_bound
from scripts.long_runs.checks.postconditions import Stored, read_all
from scripts.long_runs.harness.api_client import OVER, hold_tournament
from scripts.long_runs.harness.bot_processes import BotProcess, ours
from scripts.long_runs.harness.restartable_server import RestartableServer
from tabiya.games.registry import names

DATABASE = "bullet.db"
CLOCK, AT_ONCE, MOST_FORFEITS = "0.2+0.002", 2, 1 / 2_000
SETTINGS = {"TABIYA_LAG_CREDIT": "false", "TABIYA_TIME_CONTROL": "5+0.05"}  # the latter for the slow first games
MOST_ROUNDS = 1_000  # of one tournament
CONNECTED_S, POLL_S = 900.0, 0.5  # engines that have changed are compiled first


async def play(chosen: argparse.Namespace, folder: Path) -> tuple[Stored, LoopLag]:
    """The whole run: a tournament for each game, until it is over or the time is."""
    server, bots = RestartableServer(folder / DATABASE, folder, SETTINGS), list[BotProcess]()
    ends = time.monotonic() + 60 * chosen.minutes
    await server.start()
    try:
        async with LoopLag() as loop_lag:
            for number, game in enumerate(chosen.of):
                left = len(chosen.of) - number
                bots = await seated(server, game, chosen.player, folder)
                until = time.monotonic() + (ends - time.monotonic()) / left
                order = {"game": game, "bots": [bot.name for bot in bots], "time_control": chosen.clock}
                await tournaments(server, order, chosen.games // len(chosen.of), chosen.seed, until)
                for bot in bots:
                    await bot.end()
    finally:
        for bot in bots:
            if bot.is_running:
                await bot.end()
        await server.close()
    return await read_all(server.database), loop_lag


async def seated(server: RestartableServer, game: str, player: str, folder: Path) -> list[BotProcess]:
    """Both bots of a game, connected and ready to play: each has played a game already, at leisure."""
    bots = []
    for name in (f"{game}-one", f"{game}-two"):
        token = (await server.ask("/api/v1/register", {"name": name}))["token"]
        command = ours(player, server.websocket, name, workers=AT_ONCE, at_once=AT_ONCE, game=game)
        bots.append(BotProcess(name, command, folder, token))
        bots[-1].start()
    async with asyncio.timeout(CONNECTED_S):
        while not await at_leisure(server, game):
            await asyncio.sleep(POLL_S)
            if not all(bot.is_running for bot in bots):
                raise SystemExit(f"a bot has ended by itself: {bots[0].log_text()[-500:]} {bots[1].log_text()[-500:]}")
    return bots


async def at_leisure(server: RestartableServer, game: str) -> bool:
    """Whether two slow games that the bots sought by themselves have ended: then everything is loaded."""
    played = (await server.ask(f"/api/v1/matches?game={game}&status=ended"))["matches"]
    return len(played) >= AT_ONCE


async def tournaments(server: RestartableServer, order: dict[str, Any], games: int, seed: int, until: float) -> None:
    """Play so many games, or as many as fit until then, in tournaments of the greatest allowed length."""
    for number, left in enumerate(range(max(1, games // 2), 0, -MOST_ROUNDS), start=seed):
        if time.monotonic() < until:
            more = {"name": f"Bullet {order['game']} {number}", "rounds": min(left, MOST_ROUNDS), "seed": number}
            await tournament(server, order | more, until)


async def tournament(server: RestartableServer, order: dict[str, Any], until: float) -> None:
    """One of them, called off when its time is over; until the games that are still played then have ended, too."""
    more = {"concurrency": AT_ONCE, "per_bot": AT_ONCE, "rated": False, "strikes": 0, "no_show_s": 600}
    found = await hold_tournament(server, order | more, until - time.monotonic())
    if found["status"] not in OVER:
        await server.ask(f"/api/v1/tournaments/{found['id']}/cancel", {})
    running = True
    while running:
        await asyncio.sleep(POLL_S)
        running = bool((await server.ask(f"/api/v1/matches?tournament={found['id']}&status=running"))["matches"])


def report(stored: Stored, found: Mapping[str, Troubles], run: str) -> tuple[str, bool]:
    """The summary for people, and whether all was well. run: a sentence on the run itself."""
    lost, ends = accounts(stored.matches.values()), endings(stored.matches.values())
    games = sum(sum(of.values()) for of in ends.values())
    clocks = sorted({match.time_control for match in stored.matches.values()})
    lines = [f"{games} games at {' and '.join(clocks)}{run}"]
    lines += [f"{game}: " + ", ".join(f"{n} {end}" for end, n in of.most_common()) for game, of in ends.items()]
    rate, bound = 100 * len(lost) / max(1, games), 100 * upper_bound(len(lost), games)
    lines += [*lost, *stored.faults, *(f"{game}: {each}" for game, each in found.items())]
    lines += [f"lost on time: {len(lost)} of {games}, {rate:.3f} % (at a confidence of 95 %, at most {bound:.3f} %)"]
    sound = not stored.faults and all(each.is_sound for each in found.values())
    return "\n".join(lines), sound and games > 0 and len(lost) < max(1.0, MOST_FORFEITS * games)


def machine_remarks(took_s: float, load_before: float, loop_lag: LoopLag) -> str:
    """The remarks about the machine."""
    load = f"load {load_before:.1f} before, {os.getloadavg()[0]:.1f} at the end, this run's own share of it included"
    return f" in {took_s:.0f} s on {os.cpu_count()} cores; {load}; {loop_lag}"


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument(
        "--minutes", type=float, default=24 * 60.0, help="stop after so long, the time shared by all games"
    )
    parser.add_argument("--clock", default=CLOCK, help="the time control of every game")
    parser.add_argument("--player", default="pvs", help="who plays, as for `tabiya bot`")
    parser.add_argument("--of", nargs="+", default=names(), choices=names(), help="which games, one after the other")
    parser.add_argument("--folder", type=Path, help="where database and logs are left; else nowhere")
    parser.add_argument("--seed", type=int, default=0, help="of the first tournament's openings")
    parser.add_argument("--read", type=Path, metavar="FOLDER", help="play nothing, tell what a run has left there")
    chosen, began, load = parser.parse_args(arguments), time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="tabiya-bullet-") as temporary:
        folder = chosen.read or chosen.folder or Path(temporary)
        if chosen.read and not (folder / DATABASE).exists():
            parser.error(f"no run has left its {DATABASE} in {folder}")
        folder.mkdir(parents=True, exist_ok=True)
        if chosen.read:
            stored, run = asyncio.run(read_all(str(folder / DATABASE))), ""
        else:
            stored, loop_lag = asyncio.run(play(chosen, folder))
            run = machine_remarks(time.monotonic() - began, load, loop_lag)
        text, is_well = report(stored, troubles(stored, folder), run)
    print(text, flush=True)
    return 0 if is_well else 1


if __name__ == "__main__":
    raise SystemExit(main())
