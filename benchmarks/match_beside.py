"""`tabiya match` and fastchess, by turns, with the same two UCI programs and the same games.

    python -m benchmarks.match_beside FASTCHESS                           moves a second, by programs that think nothing
    python -m benchmarks.match_beside FASTCHESS --wait --time 0.2+0.002   games lost on time, by programs that use it

FASTCHESS is the program, built by who measures; g++ compiles the other two (instant_uci.cpp). In each round both
runners play the same games, ours in memory and once more with every move in an SQLite file (saved). Moves a second are
those from the end of the first game to that of the last; processor time is that of all processes of a runner.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.common import parser, print_rows
from benchmarks.match import children_s, instant_programs, measure
from tabiya.bots.client.run import run_loop
from tabiya.games.registry import load_game
from tabiya.match.openings import opening_of
from tabiya.match.plan import MatchPlan

COLUMNS = {
    "concurrency": ("at once", ">7"),
    "runner": ("runner", "<9"),
    "games": ("games", ">5"),
    "moves": ("moves", ">7"),
    "moves_per_s": ("moves/s", ">8.0f"),
    "all_us": ("us/move", ">8.1f"),
    "late": ("late", ">5"),
    "load": ("load", ">5.1f"),
}


@dataclass(frozen=True)
class Row:
    """One measurement. all_us: processor time of all processes for each move.  late: games lost on time."""

    concurrency: int
    runner: str
    games: int
    moves: int
    moves_per_s: float
    all_us: float
    late: int
    load: float


def ours(plan: MatchPlan, *, saved: bool) -> Row:
    """The match by `tabiya match`."""
    with tempfile.TemporaryDirectory() as folder:
        where = replace(plan, database=f"{folder}/games.db") if saved else plan
        row = run_loop(measure(where, inside=False))
    runner, all_us = "saved" if saved else "in memory", row.own_us + row.their_us
    return Row(plan.concurrency, runner, row.games, row.moves, row.moves_per_s, all_us, row.late, os.getloadavg()[0])


def theirs(plan: MatchPlan, fastchess: str) -> Row:
    """The same by fastchess."""
    before_s = children_s()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "openings.epd").write_text("".join(f"{first_position(plan, pair)}\n" for pair in range(plan.pairs)))
        ends = list[float]()
        with subprocess.Popen(_command(plan, fastchess), cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            ends += [time.perf_counter() for line in process.stdout if line.startswith("Finished game")]
        games = (folder / "games.pgn").read_text()
    plies = [int(number) for number in re.findall(r'\[PlyCount "(\d+)"', games)]
    moves, late = sum(plies), games.count('[Termination "time forfeit"')
    moves_per_s = round((moves - plies[0]) / (ends[-1] - ends[0]))
    all_us = round((children_s() - before_s) / moves * 1e6, 1)
    return Row(plan.concurrency, "fastchess", len(plies), moves, moves_per_s, all_us, late, os.getloadavg()[0])


def first_position(plan: MatchPlan, pair: int) -> str:
    """The start position of both games of a pair."""
    opening = opening_of(plan, 2 * pair)
    position = load_game(plan.game).parse(opening.start_text)
    for move in opening.moves:
        position = position.play(move)
    return position.text()


def _command(plan: MatchPlan, fastchess: str) -> list[str]:
    engines = list[str]()
    for number, player in enumerate(plan.players):
        program, _, arguments = player.removeprefix("uci:").partition(" ")
        engines += ["-engine", f"cmd={program}", f"args={arguments}", f"name={number}"]
    games = ["-each", f"tc={plan.time_control}", "-rounds", str(plan.pairs), "-games", "2", "-repeat"]
    files = ["-openings", "file=openings.epd", "format=epd", "order=sequential", "-pgnout", "file=games.pgn"]
    at_once = ["-concurrency", str(plan.concurrency), "-force-concurrency"]
    return [str(Path(fastchess).resolve()), *engines, *games, *files, *at_once]


def rows(given: argparse.Namespace, folder: Path) -> list[Row]:
    """All measurements asked for."""
    one, two = instant_programs(folder, wait=given.wait)
    found = []
    for _ in range(given.rounds):
        for concurrency in map(int, given.concurrency.split(",")):
            plan = MatchPlan((f"uci:{one}", f"uci:{two}"), "chess", given.pairs, given.time, concurrency)
            found += [theirs(plan, given.fastchess), ours(plan, saved=False), ours(plan, saved=True)]
    return sorted(found, key=lambda row: (row.concurrency, row.runner))


def main() -> None:
    command_line = parser("tabiya match and fastchess by turns")
    command_line.add_argument("fastchess", help="the program")
    command_line.add_argument("--concurrency", default="1,2,8")
    command_line.add_argument("--pairs", type=int, default=20)
    command_line.add_argument("--rounds", type=int, default=3)
    command_line.add_argument("--time", default="60+1")
    command_line.add_argument("--wait", action="store_true", help="programs that use their clocks")
    given = command_line.parse_args()
    gc.set_threshold(50_000, 20, 100)  # as `tabiya match` does
    with tempfile.TemporaryDirectory() as folder:
        print_rows(rows(given, Path(folder)), COLUMNS, given.format)


if __name__ == "__main__":
    main()
