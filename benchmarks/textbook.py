"""The timed figures of the textbooks: nodes per second, depth in one second, matches of Connect 5 at equal time.

python -m benchmarks.textbook                      # everything, some minutes
python -m benchmarks.textbook --only speed depth   # parts of it
python -m benchmarks.textbook --write              # and keep it in docs/measurements/textbooks_measured.json

The page docs/measurements/textbooks.md quotes what is kept there, with machine and date.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean, median
from typing import Any

from scripts.docs.textbooks.claims.timed import HEADLINE, MEASURED
from scripts.docs.textbooks.positions import board, twin
from scripts.self_play import Chooser, outcome_of, played
from tabiya.bots.search.limits import StopToken
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.observers import Counter, TooBig
from tabiya.bots.textbook.order import Guess
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, SearchSetup
from tabiya.games.openings import opening
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names

SEED = 4
SPEED_LISTINGS = ("minimax", "alphabeta-failsoft", "alphabeta-failhard", "pvs-failhard")
PLIES = {"nim": 0, "tictactoe": 0, "connect5": 8, "reversi": 8, "chess": 8}
BOOK_DEPTH = {"nim": 4, "tictactoe": 7, "connect5": 1, "reversi": 4, "chess": 2}
RUNS = 3  # of each speed: the worst ratio counts
LEAST_S = 0.3  # each is measured for so long, in CPU time: other programs on the machine do not count
DEPTH_LISTINGS = ("minimax", "alphabeta-printed", "alphabeta-failsoft", "alphabeta-failhard", "pvs-failhard")
LARGE = 20  # columns and rows of the large board of 004
MOVE_S = 0.05  # for each move of the matches
PAIRS = 20  # of games from one opening, colours exchanged


def start_of(name: str, seed: int) -> Position:
    """A position of a game that goes on, some plies after a random opening; of small games near the start."""
    game = load_game(name)
    position = opening(game, seed).position(game)
    for ply in range(PLIES[name]):
        legal = position.legal_moves()
        child = position.play(legal[(seed + 7 * ply) % len(legal)])
        position = child if child.outcome() is None else position
    return position


def speed() -> dict[str, Any]:
    """Nodes per second of the listings as printed and of their twins: the worst of three runs by their ratio."""
    found: dict[str, Any] = {}
    for name, evaluation in [*((name, "") for name in names()), ("connect5", "fours")]:
        for listing in SPEED_LISTINGS:
            key = f"{name}{'-' if evaluation else ''}{evaluation} {listing}"
            runs = [_speed(name, listing, evaluation) for _ in range(RUNS)]
            found[key] = min(runs, key=lambda run: run["times"]) | {"runs": [run["times"] for run in runs]}
            print(f"{key:40} {found[key]}")
    return found


def _speed(name: str, listing: str, evaluation: str) -> dict[str, Any]:
    depth = BOOK_DEPTH[name]
    positions = [start_of(name, seed) for seed in range(3)]
    compiled = twin(listing, load_game(name), evaluation)
    compiled.search(positions[0], 1)
    counter = Counter()
    for position in positions:
        find(listing).search(board(position, evaluation).rooted(depth), depth, observer=counter)
    rounds, book_s, twin_s, deeper, nodes = 0, 0.0, 0.0, depth, 0
    while book_s < LEAST_S:
        book_s += sum(_as_printed_s(listing, position, depth, evaluation) for position in positions)
        rounds += 1
    while twin_s < LEAST_S and deeper < 40:
        begun = time.process_time()
        nodes = sum(compiled.search(position, deeper).nodes for position in positions)
        twin_s, deeper = time.process_time() - begun, deeper + 1
    book_speed, twin_speed = rounds * counter.nodes / book_s, nodes / twin_s
    return {"book": round(book_speed), "twin": round(twin_speed), "times": round(twin_speed / book_speed)}


def depth() -> dict[str, Any]:
    """The deepest search that one second is enough for: the median over three positions, twins and as printed."""
    found: dict[str, Any] = {}
    for name in ("reversi", "chess", "connect5"):
        for listing in DEPTH_LISTINGS:
            for guess in (Guess.NONE, Guess.EVALUATION):
                if listing == "minimax" and guess is not Guess.NONE:
                    continue
                key = f"{name} {listing}{'' if guess is Guess.NONE else ' by evaluation'}"
                found[key] = {
                    "twin": _depth_of_twin(name, listing, guess),
                    "book": _depth_as_printed(name, listing, guess),
                }
                print(f"{key:50} {found[key]}")
    return found


def _depth_of_twin(name: str, listing: str, guess: Guess) -> float:
    compiled, reached = twin(listing, load_game(name), setup=SearchSetup(guess)), []
    for seed in range(3):
        position, plies = start_of(name, seed), 0
        while plies < 40 and compiled.search(position, plies + 1, time_s=1.0).depth == plies + 1:
            plies += 1
        reached.append(plies)
    return median(reached)


class _Clock:
    """Ends a book form after a second."""

    def __init__(self) -> None:
        self.until = time.perf_counter() + 1.0

    def enter(self, node: Any, alpha: int, beta: int) -> None:
        """Raise TooBig when the time is over."""
        if time.perf_counter() > self.until:
            raise TooBig("the second is over")

    def leave(self, node: Any, value: int) -> None:
        """Go on."""

    def cut(self, node: Any, move: str, left: Any) -> None:
        """Go on."""


def _depth_as_printed(name: str, listing: str, guess: Guess) -> float:
    from tabiya.bots.textbook.order import Ordered, Ordering

    reached = []
    for seed in range(3):
        node_of_start, plies = board(start_of(name, seed)), 0
        while plies < 20:
            root = node_of_start.rooted(plies + 1)
            node = root if guess is Guess.NONE else Ordered(root, Ordering(guess))
            try:
                find(listing).search(node, plies + 1, observer=_Clock())
            except TooBig:
                break
            plies += 1
        reached.append(plies)
    return median(reached)


# --- Connect 5 on the large board of 004 -----------------------------------------------------------------------------


def large_boards() -> list[Position]:
    """Positions of 20x20 in the middle of a game of the greedy player against itself."""
    game = load_game("connect5")
    greedy = player("004-greedy", "fours")
    found = []
    for seed in range(5):
        position = large_opening(seed)
        while position.outcome() is None and position.ply < 30:
            position = position.play(greedy(position) or position.legal_moves()[0])
        found.append(position if position.outcome() is None else large_opening(seed))
    assert all(position.game is game for position in found)
    return found


def large_opening(seed: int, size: int = LARGE) -> Position:
    """A fair opening of a few stones on a board of that size."""
    game = load_game("connect5")
    return opening(game, seed, {"columns": size, "rows": size}).position(game)


def player(listing: str, evaluation: str, move_s: float | None = None, near: bool = True) -> Chooser:
    """Plays a listing with an evaluation: as deep as `move_s` allows, ordered by evaluation; without it, one ply."""
    setup = PLAIN_SETUP if move_s is None else SearchSetup(Guess.EVALUATION, iterate=True)
    compiled = twin(listing, load_game("connect5"), evaluation, setup, near=near)

    def choose(position: Position) -> str | None:
        if move_s is None:
            report = compiled.search(position, 1)
        else:
            report = compiled.search(position, 40, time_s=move_s, soft_s=move_s / 2, stop=StopToken())
        return report.move

    return choose


def matches() -> dict[str, Any]:
    """Pairs of games of Connect 5 at equal time: a good evaluator without search, a poor one with, and others."""
    good, poor = player("000-greedy", ""), player("004-greedy", "fours")
    searching = player("alphabeta-failhard", "fours", MOVE_S)
    asked: dict[str, tuple[Chooser, Chooser, int]] = {}
    for size in (10, 15, 20):
        asked[f"{size}x{size}, {MOVE_S:g} s: {HEADLINE}"] = (good, searching, size)
    for move_s in (0.01, 0.001):
        asked[f"20x20, {move_s:g} s: {HEADLINE}"] = (good, player("alphabeta-failhard", "fours", move_s), LARGE)
    asked |= {
        f"20x20, {MOVE_S:g} s: poor evaluation without search / the same with search": (poor, searching, LARGE),
        f"20x20, {MOVE_S:g} s: good evaluation without search / the same with search": (
            good,
            player("alphabeta-failhard", "", MOVE_S),
            LARGE,
        ),
        "20x20: good evaluation without search / poor evaluation without search": (good, poor, LARGE),
        f"20x20, {MOVE_S:g} s: near the stones (2) / all moves, poor evaluation with search": (
            searching,
            player("alphabeta-failhard", "fours", MOVE_S, near=False),
            LARGE,
        ),
        f"20x20, {MOVE_S:g} s: touching a stone (1) / near the stones (2), poor evaluation with search": (
            player("alphabeta-failhard", "fours-narrow", MOVE_S),
            searching,
            LARGE,
        ),
    }
    found = {}
    for question, (one, other, size) in asked.items():
        found[question] = _match(one, other, size)
        print(f"{question}: {found[question]}", flush=True)
    return found


def _match(one: Chooser, other: Chooser, size: int = LARGE) -> dict[str, float]:
    one(large_opening(0)), other(large_opening(0))  # compiled before the clock runs
    scores = []
    for pair in range(PAIRS):
        opened = large_opening(100 + pair, size)
        scores += [_points(opened, one, other, seat) for seat in (0, 1)]
    halves = [sum(scores[at : at + 2]) / 2 for at in range(0, len(scores), 2)]
    share = mean(halves)
    spread = (sum((half - share) ** 2 for half in halves) / max(1, len(halves) - 1)) ** 0.5
    return {
        "games": len(scores),
        "won": sum(score == 1.0 for score in scores),
        "drawn": sum(score == 0.5 for score in scores),
        "percent": round(100 * share, 1),
        "error": round(196 * spread / len(halves) ** 0.5, 1),
    }


def _points(position: Position, one: Chooser, other: Chooser, seat: int) -> float:
    winner = outcome_of(played(position, *((one, other) if seat == 0 else (other, one)))).winner
    return 0.5 if winner is None else float(winner == seat)


GOOD = "greedy by evaluating every board, the players' evaluation"


def move_times() -> dict[str, Any]:
    """Milliseconds of CPU time a move on 20x20, by what looks at the board: the mean of five middle-game positions."""
    boards = large_boards()
    forms: dict[str, tuple[str, int, bool]] = {
        GOOD: ("000-greedy", 1, False),
        "greedy by what a move changes": ("004-greedy", 1, False),
        "greedy by evaluating every board": ("000-greedy", 1, False),
        "minimax, 2 plies": ("minimax", 2, False),
        "alpha-beta, 2 plies": ("alphabeta-failhard", 2, False),
        "minimax, 2 plies, near the stones (2)": ("minimax", 2, True),
        "alpha-beta, 2 plies, near the stones (2)": ("alphabeta-failhard", 2, True),
        "alpha-beta, 3 plies, near the stones (2)": ("alphabeta-failhard", 3, True),
    }
    found: dict[str, Any] = {}
    for words, (listing, plies, near) in forms.items():
        evaluation = "" if words == GOOD else "fours"
        compiled = twin(listing, load_game("connect5"), evaluation, near=near)
        compiled.search(boards[0], 1)
        rounds, begun, reports = 0, time.process_time(), []
        while time.process_time() - begun < LEAST_S:
            reports, rounds = [compiled.search(position, plies) for position in boards], rounds + 1
        found[words] = {
            "ms": _rounded(1000 * (time.process_time() - begun) / (rounds * len(boards))),
            "nodes": round(mean(r.nodes for r in reports)),
        }
        print(f"{words:45} {found[words]}")
        if plies == 1:
            found[words]["ms_as_printed"] = _rounded(
                1000 * mean(_as_printed_s(listing, position, 1, evaluation) for position in boards)
            )
            print(f"{words:45} as printed {found[words]['ms_as_printed']} ms")
    return found


def _as_printed_s(listing: str, position: Position, depth: int, evaluation: str) -> float:
    """Seconds of CPU time that the listing itself takes."""
    node = board(position, evaluation).rooted(depth)
    begun = time.process_time()
    find(listing).search(node, depth)
    return time.process_time() - begun


def _rounded(value: float) -> float:
    return round(value, 3 if value < 1 else 1)


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "speed": speed,
    "depth": depth,
    "move_times": move_times,
    "matches": matches,
}


def machine() -> str:
    """The machine in words."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def main(only: Iterable[str], write: bool) -> None:
    """Measure, print, and keep."""
    kept = json.loads(MEASURED.read_text("utf-8")) if MEASURED.exists() else {}
    for name in only:
        kept[name] = PARTS[name]() | {"machine": machine(), "date": datetime.date.today().isoformat()}  # noqa: DTZ011
        if write:
            MEASURED.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure what of the textbooks takes time.")
    parser.add_argument("--only", nargs="+", choices=sorted(PARTS), default=list(PARTS), help="parts of it")
    parser.add_argument("--write", action="store_true", help=f"keep the results in {MEASURED.name}")
    arguments = parser.parse_args()
    main(arguments.only, arguments.write)
