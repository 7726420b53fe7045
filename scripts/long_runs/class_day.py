"""A class day as one run: a teacher's Swiss of forty bots that register by invite code, four of which misbehave.

python -m scripts.long_runs.class_day                                      # 40 bots, 9 rounds of reversi
python -m scripts.long_runs.class_day --well-behaved --rounds 5 --time 10+0.1 --think 0.03 --jitter 100
python -m scripts.long_runs.class_day --bots 8 --rounds 2 --game nim --time 1+0 --think 0.01 --away 3    # short

The server is `tabiya serve` as a process of its own, closed to strangers; the students' bots connect from here with
nothing but the protocol, through a proxy on loopback that delays every chunk by 0 to `--jitter` ms, drawn again in each
direction (bytes keep their order; on loopback there is no lag credit, so that what the line takes is charged in full).
One bot crashes in its games and comes back each time, one hangs, one plays what is illegal, one leaves for good.
The run fails (exit code 1) when a well-behaved bot lost a game by anything but the rules, was withdrawn or told
something that the protocol does not allow, a scheduled game has no result, anything that was told is not stored as it
was told, or the tournament is not over within the lesson. The standings go to standings.csv in the folder of --out.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from scripts.long_runs.checks.lost_on_time import LoopLag, accounts
from scripts.long_runs.checks.postconditions import Stored, faults_in, read_all
from scripts.long_runs.checks.wire_recorder import WireRecorder
from scripts.long_runs.harness.api_client import hold_tournament
from scripts.long_runs.harness.proxy import LinkConditions, Proxy
from scripts.long_runs.harness.random_bots import BotBehaviour, Notes, RandomBot, playing
from scripts.long_runs.harness.restartable_server import RestartableServer
from tabiya.games.endings import BY_RULES, Ending
from tabiya.games.registry import load_game, names
from tabiya.games.warm import warm
from tabiya.protocol.codec import Encoding
from tabiya.protocol.messages import Move, Turn

LESSON_S = 50 * 60.0
INVITE = secrets.token_urlsafe(32)
SETTINGS = {
    "TABIYA_OPERATOR_TOKEN": secrets.token_urlsafe(32),
    "TABIYA_INVITE_SECRET": INVITE,
    "TABIYA_LOCAL_ORDERS": "false",
}
OWN_DOING = BY_RULES | {Ending.RESIGNATION}  # these bots resign now and then


class Crashing(RandomBot):
    """Its program dies now and then in a game and is started again."""

    def _answer_later(self, turn: Turn, move: str) -> None:
        if turn.ply > 4 and self._draw.random() < 0.1:
            self._cut()
        else:
            super()._answer_later(turn, move)


class Hanging(RandomBot):
    """It never answers."""

    def _answer_later(self, turn: Turn, move: str) -> None:
        return


class Illegal(RandomBot):
    """It plays illegal moves."""

    def _answer_later(self, turn: Turn, move: str) -> None:
        for _ in range(3):
            self._say(Move(match=turn.match, ply=turn.ply, move="a0"))


class Leaving(RandomBot):
    """It plays one game, then its laptop is closed."""

    def _answer_later(self, turn: Turn, move: str) -> None:
        if self._over:
            self._done.set()
            self._cut()
        else:
            super()._answer_later(turn, move)


MISBEHAVING: dict[str, type[RandomBot]] = {
    "Crasher": Crashing,
    "Sleeper": Hanging,
    "Cheater": Illegal,
    "Leaver": Leaving,
}


async def students(chosen: argparse.Namespace, server: RestartableServer, notes: Notes) -> list[RandomBot]:
    """All bots, registered."""
    draw, bots = Random(chosen.seed), list[RandomBot]()
    misbehaving = {} if chosen.well_behaved else MISBEHAVING
    named = [*misbehaving, *(f"Student {number}" for number in range(1, chosen.bots - len(misbehaving) + 1))]
    for number, name in enumerate(named):
        behaviour = BotBehaviour(
            name=name,
            encoding=tuple(Encoding)[number % 2],
            games=(),
            max_matches=1,
            think_s=chosen.think,
            token=str((await server.ask("/api/v1/register", {"name": name, "invite": INVITE}))["token"]),
        )
        kind = misbehaving.get(name, RandomBot)
        bots.append(kind(behaviour, notes, Random(draw.random())))
    return bots


def order(chosen: argparse.Namespace, names: list[str]) -> dict[str, Any]:
    """The teacher's order of the tournament."""
    return {
        "name": "Class day",
        "game": chosen.game,
        "format": "swiss",
        "bots": names,
        "rounds": chosen.rounds,
        "time_control": chosen.time,
        "concurrency": len(names),
        "no_show_s": chosen.away,
        "strikes": 3,
        "seed": chosen.seed,
    }


async def hold(chosen: argparse.Namespace, folder: Path, notes: Notes) -> tuple[dict[str, Any], Stored]:
    """Hold the lesson; returns the tournament at its end, or at the end of the lesson, and its stored games.

    A sent move or result that is stored otherwise becomes a fault.
    """
    server, recorder = RestartableServer(folder / "class.db", folder, SETTINGS, "--closed"), WireRecorder()
    conditions = LinkConditions(jitter_s=chosen.jitter / 1_000)
    proxy = Proxy(lambda: server.address, Random(chosen.seed), conditions, recorder.listener)
    await server.start()
    try:
        bots = await students(chosen, server, notes)
        began = time.monotonic()
        async with playing(bots, f"ws://127.0.0.1:{await proxy.start()}"):
            found = await hold_tournament(server, order(chosen, [bot.behaviour.name for bot in bots]), LESSON_S)
        await asyncio.to_thread(export, server, found["id"], chosen.out or folder)
    finally:
        await proxy.stop()
        status = await server.close()
    stored = await read_all(server.database)
    results = {number: match.result for number, match in stored.matches.items() if match.result is not None}
    wrong = faults_in(stored) + recorder.missing(stored.rows, results)
    wrong += [f"it ended with status {status}"] if status else []
    for fault in wrong:
        notes.fault("the server", fault)
    return found | {"took_s": round(time.monotonic() - began, 1)}, stored


def find_faults(found: dict[str, Any], notes: Notes) -> list[str]:
    """The faults, one sentence each; those that a misbehaving bot caused itself do not count."""
    met = [fault for fault in notes.faults if fault.partition(":")[0] not in MISBEHAVING]
    faults = [f"a well-behaved bot met this: {fault}" for fault in met]
    if found["status"] != "ended":
        faults.append(f"after {found['took_s']:.0f} s the tournament is {found['status']}")
    numbers = [game["number"] for game in found["games"]]
    if len(set(numbers)) != len(numbers):
        faults.append("a game is there twice")
    for game in found["games"]:
        faults += _of_game(game)
    for line in found["lines"]:
        if line["withdrawn"] and line["bot"] not in MISBEHAVING:
            faults.append(f"{line['bot']} was withdrawn")
    return faults


def _of_game(game: dict[str, Any]) -> list[str]:
    """What is wrong with one game."""
    where = f"game {game['number']} of {' and '.join(game['bots'])}"
    if game["result"] is None:
        return [f"{where} has no result"]
    loser = {"1-0": 1, "0-1": 0, "+--": 1, "--+": 0}.get(game["result"])
    if game["result"] == "---" and not set(game["bots"]) <= set(MISBEHAVING):
        return [f"{where} was lost by both"]
    if loser is None or game["bots"][loser] in MISBEHAVING:
        return []
    if game["ending"] not in OWN_DOING:
        return [f"{where} was lost by {game['bots'][loser]}, who did nothing wrong: {game['ending'] or 'forfeit'}"]
    return []


def summary(found: dict[str, Any], stored: Stored) -> str:
    """The summary for people."""
    ends = Counter(game["ending"] or "forfeit" for game in found["games"])
    lines = [
        f"{found['played']} games of {len(found['lines'])} bots, {found['rounds']} rounds, in {found['took_s']:.0f} s: "
        + ", ".join(f"{count} {ending}" for ending, count in ends.most_common()),
        *(f"lost on time: {account}" for account in accounts(stored.matches.values())),
        f"the least left on a clock was {least_left_s(stored):.1f} s",
    ]
    for line in found["lines"]:
        if line["rank"] <= 3 or line["bot"] in MISBEHAVING:
            gone = ", withdrawn" if line["withdrawn"] else ""
            lines.append(f"{line['rank']:3}. {line['bot']}: {line['points']:g} points of {line['played']} games{gone}")
    return "\n".join(lines)


def least_left_s(stored: Stored) -> float:
    """The least that was left on a clock after a move."""
    return min((min(row.remaining_us) for rows in stored.rows.values() for row in rows), default=0) / 1e6


def export(server: RestartableServer, number: int, out: Path) -> None:
    """The standings, by the command that a teacher uses."""
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tabiya", "tournament", "status", str(number), "--format", "csv"]
    with (out / "standings.csv").open("wb") as file:
        subprocess.run([*command, "--server", server.pages], stdout=file, check=True)


async def run(chosen: argparse.Namespace, folder: Path) -> int:
    """The whole run; the exit code."""
    notes = Notes()
    warm(load_game(chosen.game))  # the bots keep boards, and nothing shall compile while a clock runs
    async with LoopLag() as lag:
        found, stored = await hold(chosen, folder, notes)
    print(summary(found, stored))
    print(f"load {os.getloadavg()[1]:.1f} at the end; {lag}")
    faults = find_faults(found, notes)
    for fault in faults:
        print(f"FAULT: {fault}")
    print("nobody well-behaved lost a point by anything but the rules" if not faults else f"{len(faults)} faults")
    return 1 if faults else 0


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--game", default=names()[3], choices=names())
    parser.add_argument("--time", default="60+0.5", help="time control")
    parser.add_argument("--think", type=float, default=0.4, help="mean seconds of a bot's thinking on a move")
    parser.add_argument("--away", type=float, default=20.0, help="seconds after which an absent bot is withdrawn")
    parser.add_argument("--jitter", type=float, default=0.0, help="ms, one way")
    parser.add_argument("--well-behaved", action="store_true", help="nobody misbehaves")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for what is exported")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="tabiya-class-day-") as folder:
        return asyncio.run(run(chosen, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
