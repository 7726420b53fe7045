"""Games of the engine against itself, and their quiet positions with the engine's value of each.

A file has one line a game: its number, White's points, and positions, separated by `|`; each ends in `=` and the value,
for White in hundredths of a pawn, that the search for its move found. A game depends on its number, the seed, the
recipe and the engine, on nothing else, so a file can be continued. The network is fitted to such files
(scripts/weights/chess_net/).
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.evaluators import load_evaluator
from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.search.kernel_calls import is_in_check
from tabiya.games.chess.board import NOTHING
from tabiya.games.openings import opening
from tabiya.games.position import Position
from tabiya.games.registry import load_game

GAME = "chess"
SEPARATOR = "|"
DECIDED_PLIES = 4  # a game ends when both sides have agreed for so many plies that it is won
LEVEL, LEVEL_PLIES, LEVEL_FROM = 8, 12, 80  # or, from this ply on, that it is drawn
LONGEST = 240
WILD_PLIES, WILD_NODES, WILD_MOST = (8, 9), 1500, 350  # moves by lot, the search that judges them, the most it may find
TOLD_EVERY = 100
POINTS = {None: 0.5, 0: 1.0, 1: 0.0}  # White's, by the winner


class Game(NamedTuple):
    """points: White's, 0, 0.5 or 1.  positions: FEN.  values: theirs, for White."""

    number: int
    points: float
    positions: tuple[str, ...]
    values: tuple[int, ...]


class Recipe(NamedTuple):
    """How games are played and which positions are kept.

    nodes: for each search.  most: positions of one game, since those of a game are alike.  first_ply: after the
    opening, from which on positions are taken.  decided: the value at which a game ends and no position is taken.
    wild: the share of games that begin with moves by lot, of any quality, not with a line of the openings.  evaluator:
    MODULE:CLASS of who plays, nothing for the game's own.
    """

    nodes: int
    most: int
    first_ply: int
    decided: int
    wild: float = 0.0
    evaluator: str = ""


class Task(NamedTuple):
    """A game to play."""

    number: int
    seed: int
    recipe: Recipe


class Ending:
    """Whether the values found so far decide a game. decided: what does."""

    def __init__(self, decided: int) -> None:
        self.won = self.lost = self.level = 0
        self.decided = decided

    def points(self, value: int, ply: int) -> float | None:
        """White's points if the game is decided. value: the last one found, White's view."""
        self.won = self.won + 1 if value >= self.decided else 0
        self.lost = self.lost + 1 if value <= -self.decided else 0
        self.level = self.level + 1 if abs(value) <= LEVEL and ply >= LEVEL_FROM else 0
        if self.won >= DECIDED_PLIES:
            return 1.0
        if self.lost >= DECIDED_PLIES:
            return 0.0
        return 0.5 if self.level >= LEVEL_PLIES or ply >= LONGEST else None


def is_quiet(evaluator: Evaluator, position: Position, move: str) -> bool:
    """Whether the side to move is not in check, and its best move takes nothing and makes no queen."""
    target = position.check_move(move) >> 6 & 63
    return len(move) == 4 and position.state.kinds[target] == NOTHING and not is_in_check(evaluator, position.state)


def first_position(engine: Engine, task: Task) -> Position:
    """Where the game begins: after a random opening, or after moves by lot that have not decided it."""
    game, number = load_game(GAME), 1_000_003 * task.seed + task.number
    lot = random.Random(number)
    if lot.random() < 1 - task.recipe.wild:
        return opening(game, number).position(game)
    while True:
        position = game.start()
        for _ in range(lot.choice(WILD_PLIES)):
            if position.outcome() is None:
                position = position.play(lot.choice(position.legal_moves()))
        if position.outcome() is None and abs(engine.search(position, nodes=WILD_NODES).value) < WILD_MOST:
            return position


def play_game(engine: Engine, task: Task) -> Game:
    """One game."""
    recipe, position = task.recipe, first_position(engine, task)
    ending, quiet, ply, points = Ending(recipe.decided), list[tuple[str, int]](), 0, None
    engine.forget()
    while points is None:
        outcome = position.outcome()
        if outcome is not None:
            points = POINTS[outcome.winner]
            break
        found = engine.search(position, nodes=recipe.nodes, remember=True)
        value = found.value if position.to_move == 0 else -found.value
        points = ending.points(value, ply)
        if ply >= recipe.first_ply and abs(value) < recipe.decided and is_quiet(engine.evaluator, position, found.move):
            quiet.append((position.text(), value))
        position, ply = position.play(found.move), ply + 1
    chosen = random.Random(task.number).sample(quiet, min(recipe.most, len(quiet)))
    return Game(task.number, points, tuple(text for text, _ in chosen), tuple(value for _, value in chosen))


@functools.cache
def engine_of(evaluator: str) -> Engine:
    """The engine of this process that plays with a recipe's evaluator."""
    return Engine(load_evaluator(load_game(GAME), evaluator), table_mb=2)


def _work(task: Task) -> Game:
    return play_game(engine_of(task.recipe.evaluator), task)


def work(tasks: list[Task], processes: int) -> Iterator[Game]:
    """The games as they are ready."""
    if processes == 1:
        yield from map(_work, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(_work, tasks)


def written(game: Game) -> str:
    """A game's line."""
    positions = (f"{text}={value}" for text, value in zip(game.positions, game.values, strict=True))
    return SEPARATOR.join([str(game.number), f"{game.points:g}", *positions])


def read_games(path: Path) -> list[Game]:
    """The games of a file; an unfinished last line, left by a process that was stopped, is no game."""
    if not path.exists():
        return []
    games = []
    for line in path.read_text("ascii").split("\n")[:-1]:
        number, points, *positions = line.split(SEPARATOR)
        pairs = [position.rpartition("=") for position in positions]
        if missing := [text for _, is_known, text in pairs if not is_known]:
            raise ValueError(f"{path}: game {number} has a position without a value: {missing[0]!r}")
        texts, values = tuple(text for text, _, _ in pairs), tuple(int(value) for _, _, value in pairs)
        games.append(Game(int(number), float(points), texts, values))
    return games


def continue_file(path: Path, tasks: list[Task], processes: int) -> Iterator[Game]:
    """Do those of the tasks that `path` lacks, and write each game down as it is ready."""
    known = read_games(path)
    path.write_text("".join(written(game) + "\n" for game in known), "ascii")
    numbers = {game.number for game in known}
    with path.open("a", encoding="ascii", buffering=1) as file:
        for game in work([task for task in tasks if task.number not in numbers], processes):
            file.write(written(game) + "\n")
            yield game


def add_arguments(parser: argparse.ArgumentParser, recipe: Recipe, games: int) -> None:
    """What the command line may say of games to play."""
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=games)
    parser.add_argument("--nodes", type=int, default=recipe.nodes, help="for each move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--evaluator", default=recipe.evaluator, help="MODULE:CLASS of who plays; the game's own by default"
    )
    parser.set_defaults(run=run_play, recipe=recipe)


def run_play(given: argparse.Namespace) -> None:
    """Play the games that the file lacks, and print the progress."""
    recipe = given.recipe._replace(nodes=given.nodes, evaluator=given.evaluator)
    load_evaluator(load_game(GAME), recipe.evaluator)  # so that an error appears here, not in a worker
    tasks = [Task(number, given.seed, recipe) for number in range(given.games)]
    for number, _ in enumerate(continue_file(given.file, tasks, given.processes), 1):
        if number % TOLD_EVERY == 0:
            print(f"{number} games", flush=True)


def run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> None:
    """Carry out the command line; an error is one sentence."""
    given = parser.parse_args(arguments)
    try:
        given.run(given)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
