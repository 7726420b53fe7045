"""Games of the engine against itself, and the quiet positions in them with what the engine thought of each.

A file has one line a game: its number, White's points, and positions, separated by `|`; each ends in `=` and the value,
for White in hundredths of a pawn, that the search for its move found. A game depends on its number, the seed, the nodes
a move and the engine, on nothing else, so a file can be continued.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bots.engine.engine import Engine
from bots.players.base import Brain
from bots.players.catalogue import brain_for
from bots.search.bridge import is_in_check
from games.chess.board import NOTHING
from games.openings import opening
from games.position import Position
from games.registry import load_game

GAME = "chess"
SEPARATOR = "|"
FIRST_PLY = 6  # of a game after its opening, from which on positions are taken
A_GAME = 32  # positions of one game at most: those of a game are alike
DECIDED, DECIDED_PLIES = 800, 4  # a game ends when both sides have agreed for so many plies that it is won
LEVEL, LEVEL_PLIES, LEVEL_FROM = 8, 12, 80  # or, from this ply on, that it is drawn
LONGEST = 240
POINTS = {None: 0.5, 0: 1.0, 1: 0.0}  # White's, by the winner


class Game(NamedTuple):
    """points: White's, 0, 0.5 or 1.  positions: FEN.  values: theirs, for White."""

    number: int
    points: float
    positions: tuple[str, ...]
    values: tuple[int, ...]


class Task(NamedTuple):
    """A game to play. nodes: for each search."""

    number: int
    seed: int
    nodes: int


class Ending:
    """Whether the values found so far decide a game."""

    def __init__(self) -> None:
        self.won = self.lost = self.level = 0

    def points(self, value: int, ply: int) -> float | None:
        """White's points if the game is decided. value: the last one found, White's view."""
        self.won = self.won + 1 if value >= DECIDED else 0
        self.lost = self.lost + 1 if value <= -DECIDED else 0
        self.level = self.level + 1 if abs(value) <= LEVEL and ply >= LEVEL_FROM else 0
        if self.won >= DECIDED_PLIES:
            return 1.0
        if self.lost >= DECIDED_PLIES:
            return 0.0
        return 0.5 if self.level >= LEVEL_PLIES or ply >= LONGEST else None


def is_quiet(brain: Brain, position: Position, move: str) -> bool:
    """Whether the side to move is not in check, and its best move takes nothing and makes no queen."""
    target = position.check_move(move) >> 6 & 63
    return len(move) == 4 and position.state.kinds[target] == NOTHING and not is_in_check(brain, position.state)


def play_game(engine: Engine, task: Task) -> Game:
    """One game from a random opening."""
    game = load_game(GAME)
    position = opening(game, 1_000_003 * task.seed + task.number).position(game)
    ending, quiet, ply, points = Ending(), list[tuple[str, int]](), 0, None
    engine.forget()
    while points is None:
        outcome = position.outcome()
        if outcome is not None:
            points = POINTS[outcome.winner]
            break
        found = engine.search(position, nodes=task.nodes, remember=True)
        value = found.value if position.to_move == 0 else -found.value
        points = ending.points(value, ply)
        if ply >= FIRST_PLY and abs(value) < DECIDED and is_quiet(engine.brain, position, found.move):
            quiet.append((position.text(), value))
        position, ply = position.play(found.move), ply + 1
    chosen = random.Random(task.number).sample(quiet, min(A_GAME, len(quiet)))
    return Game(task.number, points, tuple(text for text, _ in chosen), tuple(value for _, value in chosen))


_engines: list[Engine] = []  # of this process


def _work(task: Task) -> Game:
    if not _engines:
        _engines.append(Engine(brain_for(load_game(GAME)), table_mb=2))
    return play_game(_engines[0], task)


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
