"""How many positions with a known best move the engine solves in a given time or number of nodes, on one thread.

    tabiya bench tactics [--file benchmarks/win_at_chess.epd] [--time 1 | --nodes 100000] [--first 300] [--table-mb 16]
                         [--evaluator MODULE:CLASS] [--format table|json]

The file is EPD: a position, then operations, of which `bm` (best moves, algebraic; any of them solves it), `am` (moves
to avoid) and `id` count. Solved is what the engine would play when its time is over, whatever it thought before. It
forgets everything between two positions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import parser
from scripts.evaluators import load_evaluator
from tabiya.bots.engine.engine import TABLE_MB, Engine
from tabiya.games.chess.san import read_san
from tabiya.games.position import Position
from tabiya.games.registry import load_game

WIN_AT_CHESS = Path(__file__).parent / "win_at_chess.epd"
GAME = "chess"


class Puzzle(NamedTuple):
    """best: moves of which one solves it; none: any but those to `avoid`."""

    name: str
    position: Position
    best: tuple[str, ...]
    avoid: tuple[str, ...]

    def is_solved_by(self, move: str) -> bool:
        """Whether this is a best move, or none to avoid."""
        return move in self.best if self.best else move not in self.avoid


def read_puzzle(line: str) -> Puzzle:
    """One line of EPD. Raises ValueError if it has no position, no legal moves in `bm` or `am`, or neither."""
    words = line.split(" ", 4)
    position = load_game(GAME).parse(" ".join([*words[:4], "0 1"]))
    operations = dict(part.strip().partition(" ")[::2] for part in words[4].split(";") if part.strip())
    best, avoid = (
        tuple(read_san(position, move) for move in operations.get(name, "").split()) for name in ("bm", "am")
    )
    if not best and not avoid:
        raise ValueError(f"neither bm nor am in {line!r}")
    return Puzzle(operations.get("id", position.text()).strip('"'), position, best, avoid)


def read_puzzles(path: Path) -> list[Puzzle]:
    """All of a file. Raises ValueError with the line's number, OSError."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip():
            try:
                found.append(read_puzzle(line))
            except (ValueError, IndexError) as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
    return found


class Row(NamedTuple):
    """One puzzle. depth, nodes: of the search."""

    name: str
    solved: bool
    move: str
    depth: int
    nodes: int
    time_s: float


def solve(engine: Engine, puzzles: Sequence[Puzzle], time_s: float | None, nodes: int | None) -> Iterator[Row]:
    """The puzzles one by one."""
    for puzzle in puzzles:
        found = engine.search(puzzle.position, time_s=time_s, nodes=nodes)
        solved = puzzle.is_solved_by(found.move)
        yield Row(puzzle.name, solved, found.move, found.depth, found.nodes, found.time_s)


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("how many positions with a known best move the engine solves")
    found.add_argument("--file", type=Path, default=WIN_AT_CHESS)
    limit = found.add_mutually_exclusive_group()
    limit.add_argument("--time", type=float, default=1.0, help="seconds for each")
    limit.add_argument("--nodes", type=int, default=None, help="for each, in place of time")
    found.add_argument("--first", type=int, default=None, help="only so many, evenly out of the file")
    found.add_argument("--table-mb", type=float, default=TABLE_MB)
    found.add_argument("--evaluator", default="", help="MODULE:CLASS or FILE.py:CLASS; the game's own by default")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve and print; in a table those that were not solved."""
    given = command_line().parse_args(arguments)
    try:
        puzzles = read_puzzles(given.file)
        engine = Engine(load_evaluator(load_game(GAME), given.evaluator), table_mb=given.table_mb)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    if given.first is not None:
        puzzles = [puzzles[i * len(puzzles) // given.first] for i in range(min(given.first, len(puzzles)))]
    engine.warm(load_game(GAME).start())
    rows, started = [], time.process_time()
    for row in solve(engine, puzzles, given.time if given.nodes is None else None, given.nodes):
        rows.append(row)
        if given.format == "table" and not row.solved:
            print(f"{row.name:<12} plays {row.move:<6} depth {row.depth:>2}  {row.nodes:>10,} nodes", flush=True)
    if given.format == "json":
        json.dump([row._asdict() for row in rows], sys.stdout, indent=2)
        return
    cpu_s, nodes = time.process_time() - started, sum(row.nodes for row in rows)
    clock_s = sum(row.time_s for row in rows)
    print(
        f"{sum(row.solved for row in rows)} of {len(rows)} solved; {nodes:,} nodes, "
        f"{clock_s:.1f} s by the clock, {cpu_s:.1f} s of the processor"
    )


if __name__ == "__main__":
    main()
