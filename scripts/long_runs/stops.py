"""Searches on several threads, stopped from another thread at random moments: is every answer whole, and at once?

python -m scripts.long_runs.stops --stops 10000 --threads 2 --seed 1
python -m scripts.long_runs.stops --stops 1000 --of chess --longest 0.5      # after up to half a second

Each stop: a position out of a random game, and a moment between none and `--longest` seconds, as often in each power of
ten. Asked of every answer: the move and the whole principal variation are legal, the value is one that there is, a line
that ends the game has the value of that end, no thread is left over. After each a search to a fixed depth on one thread
of the same engine, with nothing remembered, must visit the same nodes and say the same as before the first stop: no
stop has harmed what the engine keeps. How long an answer took is told by the clock, which other load on the machine
makes longer, and in time of the processor, which it does not. Exit status 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scripts.self_play import at_random, played
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import SearchResult, StopToken
from tabiya.bots.search.scores import MATE, WON
from tabiya.games.errors import IllegalMove
from tabiya.games.openings import opening
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tabiya.games.rules import Outcome

SHARES = {"chess": 6, "reversi": 6, "connect5": 3}  # of the stops; 1 for every other game
GAMES, CHECKS, CHECK_DEPTH = 20, 12, 4  # random games that positions are out of; searches that are repeated
AT_ONCE, SHORTEST_S = 0.1, 2e-5  # so many are stopped before they begin; the others after this time at least
MOST_CPU_MS = 100.0  # from the stop to the answer
TABLE_MB = 0.25  # soon full, so that threads write the same entries at once


class Tried(Engine):
    """The playing engine, which can be asked with one of its threads alone."""

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """While inside, the first thread searches alone, with the memory that all share."""
        workers, self._workers = self._workers, self._workers[:1]
        try:
            yield
        finally:
            self._workers = workers


class Stopper(threading.Thread):
    """Says stop after a while; knows when it has said so, by the clock and in time of this process's processors."""

    def __init__(self, token: StopToken, after_s: float) -> None:
        super().__init__()
        self._token, self._after_s = token, after_s
        self._made = time.perf_counter()
        self.at = self.cpu_at = self.late_ms = 0.0

    def run(self) -> None:
        """Wait and say so."""
        time.sleep(self._after_s)
        self.at, self.cpu_at = time.perf_counter(), time.process_time()
        self._token.stop()
        self.late_ms = 1e3 * (self.at - self._made - self._after_s)


@dataclass
class Tally:
    """The results of a game's stops. ended: searches that were over before their stop."""

    stops: int = 0
    ended: int = 0
    deepest: int = 0
    clock_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Subject:
    """One game: its engine, positions out of random games, and the undisturbed results of some of them."""

    def __init__(self, game: str, threads: int, draw: random.Random) -> None:
        self._engine = Tried(evaluator_for(load_game(game)), table_mb=TABLE_MB, threads=threads)
        self._positions, self._draw, self.tally = random_positions(game, draw), draw, Tally()
        self._undisturbed_results = {position: self._undisturbed(position) for position in self._positions[:CHECKS]}

    def stop_once(self, longest_s: float) -> None:
        """One search that is stopped, and one that is not."""
        position, after_s = self._draw.choice(self._positions), self._moment(longest_s)
        token = StopToken()
        if after_s == 0:
            token.stop()
        stopper, before = Stopper(token, after_s), threading.active_count()
        stopper.start()
        found = self._engine.search(position, stop=token, remember=self._draw.random() < 0.5)
        answered, cpu = time.perf_counter(), time.process_time()
        stopper.join()
        faults = faults_of(position, found)
        if (left := threading.active_count()) > before:
            faults.append(f"{left - before} threads are left over")
        self._note(stopper, found, 1e3 * (answered - stopper.at), 1e3 * (cpu - stopper.cpu_at))
        repeated = self._draw.choice(list(self._undisturbed_results))
        if (now := self._undisturbed(repeated)) != self._undisturbed_results[repeated]:
            faults.append(f"afterwards {repeated.text()} is {now} and was {self._undisturbed_results[repeated]} before")
        self.tally.faults += [f"{position.text()}, stopped after {1e3 * after_s:.3f} ms: {each}" for each in faults]

    def _moment(self, longest_s: float) -> float:
        if self._draw.random() < AT_ONCE:
            return 0.0
        return SHORTEST_S * float((longest_s / SHORTEST_S) ** self._draw.random())

    def _undisturbed(self, position: Position) -> SearchResult:
        with self._engine.alone():
            self._engine.forget()
            return self._engine.search(position, depth=CHECK_DEPTH)._replace(time_s=0.0)

    def _note(self, stopper: Stopper, found: SearchResult, clock_ms: float, cpu_ms: float) -> None:
        tally = self.tally
        tally.stops += 1
        tally.deepest = max(tally.deepest, found.depth)
        tally.late_ms.append(stopper.late_ms)
        if clock_ms < 0:
            tally.ended += 1
            return
        tally.clock_ms.append(clock_ms)
        tally.cpu_ms.append(cpu_ms)
        if cpu_ms > MOST_CPU_MS:
            tally.faults.append(f"the answer took {cpu_ms:.1f} ms of the processor, {clock_ms:.1f} ms by the clock")


def random_positions(game: str, draw: random.Random) -> list[Position]:
    """Of random games from random openings, those in which a move is to be made, in random order."""
    loaded, found = load_game(game), list[Position]()
    for _ in range(GAMES):
        found += played(opening(loaded, draw.getrandbits(64)).position(loaded), at_random(draw))[:-1]
    draw.shuffle(found)
    return found


def faults_of(position: Position, found: SearchResult) -> list[str]:
    """The faults of an answer, a sentence each."""
    wrong, end = [], position
    if found.move not in position.legal_moves():
        wrong.append(f"{found.move} is not legal")
    if found.pv[:1] != (found.move,):
        wrong.append(f"{found.move} is not how its line begins: {' '.join(found.pv)}")
    try:
        for move in found.pv:
            end = end.play(move)
    except IllegalMove as error:
        return [*wrong, f"the line {' '.join(found.pv)} is not legal: {error}"]
    if abs(found.value) > MATE:
        wrong.append(f"there is no value {found.value}")
    outcome = end.outcome()
    if outcome is not None and found.depth > 0 and sign(found.value) != points(outcome, position.to_move):
        wrong.append(f"the line {' '.join(found.pv)} ends with {outcome}, its value is {found.value}")
    return wrong


def sign(value: int) -> int:
    """1 for a value that says won, -1 for lost, 0 for neither."""
    return 1 if value > WON else -1 if value < -WON else 0


def points(outcome: Outcome, seat: int) -> int:
    """The result for this seat: 1 for a win, -1 for a loss, 0 for a draw."""
    return 0 if outcome.winner is None else 1 if outcome.winner == seat else -1


def run(chosen: argparse.Namespace) -> list[tuple[str, Tally]]:
    """All stops, the games in turn by their shares."""
    draw = random.Random(chosen.seed)
    subjects = {game: Subject(game, chosen.threads, draw) for game in chosen.of}
    shares = [SHARES.get(game, 1) for game in chosen.of]
    for game in draw.choices(chosen.of, shares, k=chosen.stops):
        subjects[game].stop_once(chosen.longest)
    return [(game, subject.tally) for game, subject in subjects.items()]


def spread(milliseconds: Sequence[float]) -> str:
    """Median, 99th percentile and the most."""
    ordered = sorted(milliseconds) or [0.0]
    p50, p99 = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99))
    return f"p50 {p50:.2f} ms, p99 {p99:.2f} ms, most {ordered[-1]:.2f} ms"


def report(tallies: Sequence[tuple[str, Tally]]) -> str:
    """For people."""
    lines = []
    for game, tally in tallies:
        lines.append(f"{game}: {tally.stops} stops, {tally.ended} of them too late, up to depth {tally.deepest}")
        lines.append(f"  from stop to answer, clock: {spread(tally.clock_ms)}; processor: {spread(tally.cpu_ms)}")
    late = [ms for _, tally in tallies for ms in tally.late_ms]
    faults = [f"{game}: {fault}" for game, tally in tallies for fault in tally.faults]
    lines += [f"the machine was late itself, to say stop: {spread(late)}", *faults[:100]]
    return "\n".join([*lines, f"{len(faults)} faults in {sum(tally.stops for _, tally in tallies)} stops"])


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stops", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=2, help="that search together")
    parser.add_argument("--longest", type=float, default=0.05, help="seconds until the latest stop")
    parser.add_argument("--of", nargs="+", default=names(), choices=names(), help="which games")
    parser.add_argument("--seed", type=int, default=1)
    chosen, began, load = parser.parse_args(arguments), time.monotonic(), os.getloadavg()[0]
    tallies = run(chosen)
    machine = f"on {os.cpu_count()} cores; load {load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    print(f"{chosen.threads} threads, seed {chosen.seed}, {time.monotonic() - began:.0f} s {machine}")
    print(report(tallies), flush=True)
    return 1 if any(tally.faults for _, tally in tallies) else 0


if __name__ == "__main__":
    raise SystemExit(main())
