"""A class that hands in programs, as one run: forty of them, eight broken and four hostile, on a server that is killed.

python -m scripts.long_runs.hosted_class                                   # 40 programs, 20 minutes of a ladder
python -m scripts.long_runs.hosted_class --programs 8 --minutes 1 --kill-worker 20        # short
python -m scripts.long_runs.hosted_class --programs 200 --upload 600 --minutes 12 --kill-worker 0 --rounds 0   # a rush

The server is `tabiya serve --hosted` as a process of its own. All programs are handed in within `--upload` seconds; a
worker is killed every `--kill-worker` seconds and the server once, in the middle. Two bots that are connected from here
play all the time, first alone for `--before` seconds: what their moves take is what the ladder costs others. At the end
all programs play a Swiss of `--rounds` rounds, in which workers are killed as well.
The run fails (exit code 1) when anything stored has a fault (`tabiya verify`), a sound program was refused, set aside,
withdrawn or lost a game by anything but the rules, or a hostile one left a trace.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import secrets
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from scripts.long_runs.checks.postconditions import as_sentence, rows_of
from scripts.long_runs.harness.restartable_server import RestartableServer
from scripts.long_runs.harness.run_folder import run_folder
from tabiya.games.endings import BY_RULES
from tabiya.server.archive.verify import verify
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchRecord, MoveRecord

GAME = "tictactoe"
INVITE = secrets.token_urlsafe(32)
SETTINGS = {
    "TABIYA_OPERATOR_TOKEN": secrets.token_urlsafe(32),
    "TABIYA_INVITE_SECRET": INVITE,
    "TABIYA_TIME_CONTROL": "20+0.2",
}
PAIR = ("Connected 1", "Connected 2")
PAIR_THINKS_S = 0.05
POLL_S = 2.0
TOURNAMENT_S = 3_600.0  # at most
GOOD = '''"""Takes a win or stops one {skill} times of 100; else it plays at random."""
import random
from tabiya import Bot

class Student(Bot):
    def choose(self, turn):
        here = turn.position()
        if random.random() * 100 < {skill}:
            for move in turn.legal_moves:
                end = here.play(move).outcome()
                if end is not None and end.winner == turn.seat:
                    return move
        return random.choice(turn.legal_moves)
'''
CHOOSES = "from tabiya import Bot\n\nclass Student(Bot):\n    def choose(self, turn):\n        {}\n"
BROKEN = {
    "syntax": "def choose(self turn):\n    return 1\n",
    "import": "import a_module_that_nobody_has\n",
    "no bot": "print('hello')\n",
    "index": CHOOSES.format("return turn.legal_moves[99]"),
    "later": CHOOSES.format("return turn.legal_moves[0] if turn.ply < 3 else 1 / 0"),
    "illegal": CHOOSES.format("return 'z9'"),
    "slow": CHOOSES.format("import time; time.sleep(60)"),
    "none": CHOOSES.format("return None"),
}
TRACE = "TABIYA-TRACE"
HOSTILE = {
    "reads": CHOOSES.format("return open('/etc/passwd').read()"),
    "writes": CHOOSES.format(f"open('/tmp/{TRACE}', 'w').write('x'); return turn.legal_moves[0]"),
    "memory": CHOOSES.format("x = bytearray(4_000_000_000); return turn.legal_moves[0]"),
    "forks": CHOOSES.format("import os\n        while True: os.fork()"),
}
CONNECTED = """
import time
from tabiya import Bot, run
class First(Bot):
    name = {name!r}

    def choose(self, turn):
        time.sleep({think})
        return turn.legal_moves[0]
run(First(), {address!r}, token={token!r}, seek={game!r})
"""


class Program(NamedTuple):
    """One that is handed in. kind: good, broken or hostile."""

    name: str
    kind: str
    text: str


def programs(number: int) -> list[Program]:
    """So many, a fifth of them broken and a tenth hostile."""
    broken, hostile = list(BROKEN.items())[: number // 5], list(HOSTILE.items())[: number // 10]
    found = [Program(f"Broken {name}", "broken", text) for name, text in broken]
    found += [Program(f"Hostile {name}", "hostile", text) for name, text in hostile]
    good = number - len(found)
    for place in range(good):
        skill = f"{100 * place / max(1, good - 1):.4g}"
        found.append(Program(f"Student {skill}", "good", GOOD.format(skill=skill)))
    return sorted(found, key=lambda program: program.text)  # mixed, and the same each time


class Notes:
    """The events of the run. Times in seconds since 1970.

    handed_in, examined: when, by the names of the programs; with what it came to.  tournament: at the end, as its page
    has it.
    """

    def __init__(self) -> None:
        self.handed_in: dict[str, float] = {}
        self.examined: dict[str, tuple[float, str]] = {}
        self.kills = Counter[str]()
        self.tournament: dict[str, Any] = {}


async def hand_in(server: RestartableServer, program: Program, token: str, notes: Notes) -> None:
    """Upload it, and wait for its examination."""
    path = f"/api/v1/bots/{program.name}/programs"
    content = base64.b64encode(program.text.encode()).decode()
    await server.ask(path, {"game": GAME, "file_name": "bot.py", "content": content}, token=token)
    notes.handed_in[program.name] = time.time()
    while program.name not in notes.examined:
        (version,) = (await server.ask(path, token=token))["programs"]
        if version["state"] != "new":
            notes.examined[program.name] = time.time(), version["state"]
        await asyncio.sleep(POLL_S)


def kill_worker(server: RestartableServer) -> bool:
    """Kill a worker of the server, and nothing else; whether there was one."""
    assert server.process is not None
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(server.process.pid).children():
            if "worker" in child.cmdline():
                child.kill()
                return True
    return False


async def _kill(server: RestartableServer, every_s: float, whole_s: float, notes: Notes) -> None:
    """A worker again and again, the server once; nobody if `every_s` is 0."""
    began_s = time.monotonic()
    while (left_s := began_s + whole_s - time.monotonic()) > 0:
        await asyncio.sleep(min(every_s or left_s, left_s))
        if every_s and not notes.kills["server"] and left_s < whole_s / 2:
            await server.end(signal.SIGKILL)
            await server.start()
            notes.kills["server"] = 1
        elif every_s:
            notes.kills["worker"] += kill_worker(server)


async def play_tournament(server: RestartableServer, rounds: int, every_s: float, notes: Notes) -> None:
    """A Swiss of all programs, in which a worker is killed every `every_s` seconds."""
    order = {"name": "Class", "game": GAME, "format": "swiss", "rounds": rounds, "everyone": True, "key": "class"}
    number = (await server.ask("/api/v1/tournaments", order))["id"]
    began_s = killed_s = time.monotonic()
    while (found := await server.ask(f"/api/v1/tournaments/{number}"))["status"] != "ended":
        if every_s and time.monotonic() > killed_s + every_s:
            notes.kills["worker"] += kill_worker(server)
            killed_s = time.monotonic()
        await asyncio.sleep(POLL_S)
    notes.tournament = found | {"seconds": time.monotonic() - began_s}


async def run(chosen: argparse.Namespace, folder: Path) -> int:
    """The whole run; the exit code."""
    server, notes = (
        RestartableServer(
            folder / "class.db", folder, SETTINGS, "--hosted", "--closed", "--workers", str(chosen.workers)
        ),
        Notes(),
    )
    every = programs(chosen.programs)
    await server.start()
    pair: list[asyncio.subprocess.Process] = []
    try:
        tokens = {
            name: str((await server.ask("/api/v1/register", {"name": name, "invite": INVITE}))["token"])
            for name in (*PAIR, *(program.name for program in every))
        }
        for name in PAIR:
            text = CONNECTED.format(
                address=server.pages, name=name, think=PAIR_THINKS_S, token=tokens[name], game="nim"
            )
            with (folder / f"{name}.log").open("wb") as log:
                pair.append(await asyncio.create_subprocess_exec(sys.executable, "-c", text, stdout=log, stderr=log))
        await asyncio.sleep(chosen.before)
        first_s = time.time()
        uploads = []
        for program in every:
            uploads.append(asyncio.create_task(hand_in(server, program, tokens[program.name], notes)))
            await asyncio.sleep(chosen.upload / len(every))
        whole_s = max(0.0, chosen.minutes * 60 - (time.time() - first_s))
        await _kill(server, chosen.kill_worker, whole_s, notes)
        async with asyncio.timeout(chosen.minutes * 60 + 600):
            await asyncio.gather(*uploads)
        if chosen.rounds:
            async with asyncio.timeout(TOURNAMENT_S):
                await play_tournament(server, chosen.rounds, chosen.kill_worker, notes)
        listed = {
            name: (await server.ask(f"/api/v1/bots/{name}/programs", token=tokens[name]))["programs"]
            for name in (program.name for program in every)
        }
        standings = await server.ask(f"/api/v1/standings/{GAME}")
    finally:
        for process in pair:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and its log says why
                process.terminate()
            await process.wait()
        status = await server.close()
    store = await open_store(server.database, create=False)
    try:
        faults = [as_sentence(fault) for fault in (await verify(store)).faults]
        matches = await store.list_matches(MatchFilter(limit=1_000_000))
        moves = {match.id: await rows_of(store, match.id) for match in matches if match.seats[0].bot in PAIR}
    finally:
        await store.close()
    faults += [f"the server ended with status {status}"] if status else []
    faults += find_faults(every, notes, listed, matches)
    print(summary(every, notes, matches, moves, standings, first_s))
    print("\n".join(faults) or "no fault")
    return bool(faults)


def find_faults(
    every: Iterable[Program], notes: Notes, listed: dict[str, Any], matches: Iterable[MatchRecord]
) -> list[str]:
    """The faults, one sentence each."""
    faults = []
    good = {program.name for program in every if program.kind == "good"}
    for name in sorted(good):
        if notes.examined.get(name, (0, "never examined"))[1] != "good":
            faults.append(f"{name} is sound and was {notes.examined.get(name)}")
        faults += [f"{name} was {each['doing']}" for each in listed[name] if "set aside" in each["doing"]]
    for line in notes.tournament.get("lines", ()):
        if line["bot"] in good and line["withdrawn"]:
            faults.append(f"{line['bot']} is sound and was withdrawn")
    for match in matches:
        if match.result is None or match.result.winner is None or match.result.ending in BY_RULES:
            continue
        loser = match.seats[1 - match.result.winner].bot
        if loser in good or loser in PAIR:
            faults.append(f"match {match.id} was lost by {loser}, who did nothing wrong: {match.result.ending}")
    if Path("/tmp", TRACE).exists():
        faults.append("a hostile program has left a trace")
    return faults


def _p99(values: list[int]) -> str:
    """Of microseconds, in ms."""
    values.sort()
    return f"{values[int(0.99 * (len(values) - 1))] / 1_000:.1f} ms of {len(values)} moves" if values else "no moves"


def _spread(seconds: list[float]) -> str:
    """Of sorted times."""
    if not seconds:
        return "none"
    middle, most = seconds[len(seconds) // 2], seconds[int(0.95 * (len(seconds) - 1))]
    return f"{middle:.0f} s (median), {most:.0f} s (95 %), {seconds[-1]:.0f} s at most"


def summary(
    every: list[Program],
    notes: Notes,
    matches: Iterable[MatchRecord],
    moves: dict[Any, tuple[MoveRecord, ...]],
    standings: dict[str, Any],
    first_s: float,
) -> str:
    """The summary for people."""
    matches = list(matches)
    ladder = [match for match in matches if match.game == GAME and match.result is not None]
    ends = Counter(match.result.ending for match in ladder if match.result)
    waits = sorted(notes.examined[name][0] - at for name, at in notes.handed_in.items() if name in notes.examined)
    ends_at = sorted((match.result.ended_at, match.id, match) for match in ladder if match.result)
    firsts = {seat.bot: at for at, _, match in reversed(ends_at) for seat in match.seats}
    first_games = sorted(firsts[name] - at for name, at in notes.handed_in.items() if name in firsts)
    kinds = {kind: Counter(notes.examined.get(each.name, (0, "new"))[1] for each in every if each.kind == kind)
             for kind in ("good", "broken", "hostile")}  # fmt: skip
    rows = [row for row in standings["rows"] if row["bot"].startswith("Student")]
    games = sorted(row["games"] for row in rows) or [0]
    settled = sum(row["plus_minus"] <= 60 for row in rows)
    pair = [move for match in matches for move in moves.get(match.id, ()) if not move.opening and move.think_us]
    own_us = round(PAIR_THINKS_S * 1e6)
    before = [move.think_us - own_us for move in pair if move.at < first_s]
    during = [move.think_us - own_us for move in pair if move.at >= first_s]
    lines = [
        f"{len(every)} programs, {notes.kills['worker']} workers and {notes.kills['server']} server killed; "
        f"{len(ladder)} games of the ladder: " + ", ".join(f"{count} {end}" for end, count in ends.most_common()),
        f"examined after {_spread(waits)}; a first game has ended after {_spread(first_games)}",
        *(
            f"{kind}: " + ", ".join(f"{count} {state}" for state, count in found.items())
            for kind, found in kinds.items()
        ),
        f"{settled} of {len(rows)} students are rated to within 60 Elo, with {games[0]} to {games[-1]} games each",
        f"moves of the connected pair beyond its thinking: p99 {_p99(before)} before, {_p99(during)} during",
    ]
    if notes.tournament:
        lines.append(f"the Swiss: {notes.tournament['played']} games in {notes.tournament['seconds']:.0f} s")
    lines += [f"{row['rating']:6.0f} ± {row['plus_minus']:3.0f}  {row['games']:4d}  {row['bot']}" for row in rows]
    return "\n".join(lines)


def main(words: list[str] | None = None) -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=20.0, help="of the ladder, uploads included")
    parser.add_argument("--upload", type=float, default=120.0, help="seconds within which all are handed in")
    parser.add_argument("--before", type=float, default=60.0, help="seconds in which the pair plays alone")
    parser.add_argument(
        "--kill-worker", type=float, default=60.0, help="seconds between two kills of a worker; 0: none"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of the Swiss at the end; 0: none")
    parser.add_argument("--workers", type=int, default=2, help="programs that play at once, of the server's own worker")
    parser.add_argument("--out", type=Path, help="folder for database and logs; a temporary one if not given")
    chosen = parser.parse_args(words)
    with run_folder(chosen.out) as folder:
        return asyncio.run(run(chosen, folder))


if __name__ == "__main__":
    sys.exit(main())
