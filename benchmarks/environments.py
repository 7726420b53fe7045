"""How many steps a second random games take: here as environments and by the compiled rules, in OpenSpiel and in pgx.

python -m benchmarks.environments                 # all games
python -m benchmarks.environments --games chess --pgx ENVIRONMENT/bin/python

All by turns on one core, in steps a second of processor time; shown is the worst round of each. pgx, which brings JAX,
is installed apart: `--pgx` names the Python that has it.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

import pyspiel

from benchmarks.common import parser, print_rows
from tabiya.games.registry import load_game
from tabiya.research.batch_env import BatchEnv
from tabiya.research.environment import GameEnv
from tabiya.research.playouts import random_playouts
from tests.live import ROOT

COLUMNS = {
    "game": ("game", "<10"),
    "rules": ("rules alone", ">11,.0f"),
    "spiel_rules": ("OpenSpiel", ">10,.0f"),
    "batch": ("arrays", ">11,.0f"),
    "spiel_arrays": ("OpenSpiel", ">10,.0f"),
    "pgx": ("pgx", ">10,.0f"),
    "pettingzoo": ("PettingZoo", ">10,.0f"),
    "plies": ("plies a game", ">13.1f"),
}
ROUNDS = 3
ONE_THREAD = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "OMP_NUM_THREADS": "1"}


class Elsewhere(NamedTuple):
    """The game's name in OpenSpiel and in pgx; None where it is missing."""

    spiel: str
    pgx: str | None = None


ELSEWHERE = {
    "nim": Elsewhere("nim(pile_sizes=3;5;7)"),
    "tictactoe": Elsewhere("tic_tac_toe", "tic_tac_toe"),
    "connect5": Elsewhere("mnk(m=15,n=15,k=5)"),
    "reversi": Elsewhere("othello", "othello"),
    "chess": Elsewhere("chess", "chess"),
}

Rate = Callable[[float], float]
"""Steps a second over at least so many seconds of processor time."""


@dataclass(frozen=True, slots=True)
class Row:
    """One game: steps a second of each, and plies of a random game. None: the game is not there."""

    game: str
    plies: float
    rules: float
    batch: float
    pettingzoo: float
    spiel_rules: float | None = None
    spiel_arrays: float | None = None
    pgx: float | None = None


def rate_of(step: Callable[[], int]) -> Rate:
    """Steps a second; `step` returns how many it has made. It is called once before, so that everything is compiled."""

    def rate(seconds: float) -> float:
        steps, begun = 0, time.process_time()
        while (taken := time.process_time() - begun) < seconds:
            steps += step()
        return steps / taken

    step()
    return rate


def rules(game: str) -> Rate:
    """Random games by the compiled rules."""
    start, seeds = load_game(game).start(), iter(range(10**9))
    return rate_of(lambda: int(random_playouts(start, 1_000, seed=next(seeds)).plies.sum()))


def batch(game: str, games: int) -> Rate:
    """A step of all games: observations, masks, rewards; ended games start again."""
    environment = BatchEnv(game, autoreset=True)
    environment.reset(games)

    def step() -> int:
        environment.step(environment.random_actions())
        return games

    return rate_of(step)


def pettingzoo(game: str) -> Rate:
    """An environment of PettingZoo, observations and masks made for each step."""
    environment = GameEnv(game)
    environment.reset()

    def step() -> int:
        if any(environment.terminations.values()):
            environment.reset()
        agent = environment.agent_selection
        environment.step(environment.action_space(agent).sample(environment.observe(agent)["action_mask"]))
        return 1

    return rate_of(step)


def spiel(game: str, *, arrays: bool) -> Rate:
    """OpenSpiel's own game from Python. arrays: with observation and mask of each position."""
    played, draw = pyspiel.load_game(game), random.Random(1)

    def step() -> int:
        state, steps = played.new_initial_state(), 0
        while not state.is_terminal():
            if arrays:
                state.observation_tensor()
                state.legal_actions_mask()
            state.apply_action(draw.choice(state.legal_actions()))
            steps += 1
        return steps

    return rate_of(step)


def pgx(python: str, game: str, games: int, seconds: float, until: ExitStack) -> Rate:
    """The game of pgx in a process of its own, `games` at once. until: ends it."""
    command = [python, str(ROOT / "benchmarks" / "pgx_steps.py"), game, str(games), str(seconds)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": os.environ | ONE_THREAD}
    process = until.enter_context(subprocess.Popen(command, **pipes))  # type: ignore[call-overload]
    assert process.stdout.readline() == "ready\n"

    def rate(_: float) -> float:
        print(file=process.stdin, flush=True)
        return float(process.stdout.readline())

    return rate


def row(game: str, games: int, seconds: float, python: str | None) -> Row:
    """The rates of all libraries, measured in turn."""
    there = ELSEWHERE.get(game)
    with ExitStack() as until:
        contenders = {"rules": rules(game), "batch": batch(game, games), "pettingzoo": pettingzoo(game)}
        if there:
            contenders |= {"spiel_rules": spiel(there.spiel, arrays=False)}
            contenders |= {"spiel_arrays": spiel(there.spiel, arrays=True)}
        if there and there.pgx and python:
            contenders["pgx"] = pgx(python, there.pgx, games, seconds, until)
        rounds = [{name: rate(seconds) for name, rate in contenders.items()} for _ in range(ROUNDS)]
    worst = {name: min(found[name] for found in rounds) for name in contenders}
    plies = random_playouts(load_game(game).start(), 1_000, seed=1).plies.mean()
    return Row(game=game, plies=float(plies), **worst)


def main() -> None:
    """The command."""
    options = parser("Steps a second of random games.", games=True)
    options.add_argument("--seconds", type=float, default=2.0, help="for each figure, at least")
    options.add_argument("--batch", type=int, default=1024, help="games at once, of arrays and of pgx")
    options.add_argument("--pgx", help="the Python of an environment in which pgx is installed")
    given = options.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])

    def rows() -> Iterator[Row]:
        for game in given.games.split(","):
            yield row(game, given.batch, given.seconds, given.pgx)

    print_rows(rows(), COLUMNS, given.format)


if __name__ == "__main__":
    main()
