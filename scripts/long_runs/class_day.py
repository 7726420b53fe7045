"""A class day as one run: a teacher's Swiss of forty bots that register by invite code, four of which misbehave.

python -m scripts.long_runs.class_day                                      # 40 bots, 9 rounds of reversi
python -m scripts.long_runs.class_day --bots 8 --rounds 2 --game nim --time 1+0 --think 0.01 --away 3    # short

The server is `tabiya serve` as a process of its own, closed to strangers; the students' bots connect from here with
nothing but the protocol. One crashes in its games and comes back each time, one hangs, one plays what is illegal, one
leaves for good. The run fails (exit code 1) when a well-behaved bot lost a game by anything but the rules, was
withdrawn or told something that the protocol does not allow, a scheduled game has no result, or the tournament is not
over within the lesson. The standings go to standings.csv in the folder given by --out.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from scripts.long_runs.crashing_server import RestartableServer, hold_tournament
from scripts.long_runs.random_bots import BotBehaviour, Notes, TournamentBot, playing
from tabiya.games.endings import BY_RULES, Ending
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


class Crashing(TournamentBot):
    """Its program dies now and then in a game and is started again."""

    def _answer_later(self, turn: Turn, move: str) -> None:
        if turn.ply > 4 and self._draw.random() < 0.1 and self._socket is not None:
            self._was_cut = True
            self._socket.transport.abort()
        else:
            super()._answer_later(turn, move)


class Hanging(TournamentBot):
    """It thinks for ever."""

    def _answer_later(self, turn: Turn, move: str) -> None:
        return


class Illegal(TournamentBot):
    """It plays what its author takes for a move."""

    def _answer_later(self, turn: Turn, move: str) -> None:
        for _ in range(3):
            self._say(Move(match=turn.match, ply=turn.ply, move="a0"))


class Leaving(TournamentBot):
    """It plays one game, then its laptop is closed."""

    def _answer_later(self, turn: Turn, move: str) -> None:
        if self._over and self._socket is not None:
            self._was_cut = True
            self._done.set()
            self._socket.transport.abort()
        else:
            super()._answer_later(turn, move)


MISBEHAVING: dict[str, type[TournamentBot]] = {
    "Crasher": Crashing,
    "Sleeper": Hanging,
    "Cheater": Illegal,
    "Leaver": Leaving,
}


async def students(
    chosen: argparse.Namespace, server: RestartableServer, notes: Notes, others: Notes
) -> list[TournamentBot]:
    """All bots, registered. others: notes of those that misbehave."""
    draw = Random(chosen.seed)
    names = [*MISBEHAVING, *(f"Student {number}" for number in range(1, chosen.bots - len(MISBEHAVING) + 1))]
    bots = []
    for number, name in enumerate(names):
        invited = {"name": name, "invite": INVITE}
        behaviour = BotBehaviour(
            name=name,
            encoding=tuple(Encoding)[number % 2],
            games=(),
            max_matches=1,
            think_s=chosen.think,
            token=str((await server.ask("/api/register", invited))["token"]),
        )
        kind = MISBEHAVING.get(name, TournamentBot)
        bots.append(kind(behaviour, others if name in MISBEHAVING else notes, Random(draw.random())))
    return bots


def order(chosen: argparse.Namespace, names: list[str]) -> dict[str, Any]:
    """What the teacher asks for."""
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


async def hold(chosen: argparse.Namespace, folder: Path, notes: Notes) -> dict[str, Any]:
    """The lesson: the tournament as it stands at its end, or when the lesson is over."""
    server = RestartableServer(folder / "class.db", folder, SETTINGS, "--closed")
    await server.start()
    try:
        bots = await students(chosen, server, notes, Notes())
        began = time.monotonic()
        async with playing(bots, server.websocket):
            found = await hold_tournament(server, order(chosen, [bot.behaviour.name for bot in bots]), LESSON_S)
        await asyncio.to_thread(export, server, found["id"], chosen.out or folder)
    finally:
        status = await server.close()
    if status:
        notes.fault("the server", f"it ended with status {status}")
    return found | {"took_s": round(time.monotonic() - began, 1)}


def judged(found: dict[str, Any], notes: Notes) -> list[str]:
    """Everything that must not be, one sentence each."""
    faults = [f"a well-behaved bot met this: {fault}" for fault in notes.faults]
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


def told(found: dict[str, Any]) -> str:
    """The summary for people."""
    ends = Counter(game["ending"] or "forfeit" for game in found["games"])
    lines = [
        f"{found['played']} games of {len(found['lines'])} bots, {found['rounds']} rounds, in {found['took_s']:.0f} s: "
        + ", ".join(f"{count} {ending}" for ending, count in ends.most_common())
    ]
    for line in found["lines"]:
        if line["rank"] <= 3 or line["bot"] in MISBEHAVING:
            gone = ", withdrawn" if line["withdrawn"] else ""
            lines.append(f"{line['rank']:3}. {line['bot']}: {line['points']:g} points of {line['played']} games{gone}")
    return "\n".join(lines)


def export(server: RestartableServer, number: int, out: Path) -> None:
    """The standings, by the command that a teacher uses."""
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tabiya", "tournament", "status", str(number), "--format", "csv"]
    with (out / "standings.csv").open("wb") as file:
        subprocess.run([*command, "--server", server.pages], stdout=file, check=True)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--game", default="reversi")
    parser.add_argument("--time", default="60+0.5", help="time control")
    parser.add_argument("--think", type=float, default=0.4, help="mean seconds of a bot's thinking on a move")
    parser.add_argument("--away", type=float, default=20.0, help="seconds after which an absent bot is withdrawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for what is exported")
    chosen = parser.parse_args()
    notes = Notes()
    with tempfile.TemporaryDirectory(prefix="tabiya-class-day-") as folder:
        found = asyncio.run(hold(chosen, Path(folder), notes))
    print(told(found))
    faults = judged(found, notes)
    for fault in faults:
        print(f"FAULT: {fault}")
    print("nobody well-behaved lost a point by anything but the rules" if not faults else f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
