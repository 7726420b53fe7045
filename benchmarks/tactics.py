"""How many positions with a known best move the engine solves in a given time or number of nodes, on one thread.

    tabiya bench tactics [--file benchmarks/win_at_chess.epd] [--time 1 | --nodes 100000] [--first 300] [--table-mb 16]
                         [--evaluator MODULE:CLASS] [--beside PLAYER ...] [--format table|json]

The file is EPD: a position, then operations. These count: `bm` (best moves, algebraic; any of them solves it), `am`
(moves to avoid), `id`, and for suites that give points for several moves `c8` (the points) and `c9` (the moves, as UCI
writes them). Solved is what the engine would play when its time is over, whatever it thought before. It forgets
everything between two positions. Players named by `--beside` get each position right after it, for the same time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from benchmarks.common import parser
from scripts.evaluators import load_evaluator
from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.engine.engine import TABLE_MB, Engine
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest, Player
from tabiya.bots.players.build import build_player
from tabiya.bots.players.spec import PlayerError
from tabiya.games.chess.san import read_san
from tabiya.games.position import Position
from tabiya.games.registry import load_game

WIN_AT_CHESS = Path(__file__).parent / "win_at_chess.epd"
GAME = "chess"


class Puzzle(NamedTuple):
    """best: moves of which one solves it; none: any but those to `avoid`.  points: of each move that has some."""

    name: str
    position: Position
    best: tuple[str, ...]
    avoid: tuple[str, ...]
    points: Mapping[str, int] = MappingProxyType({})

    def is_solved_by(self, move: str) -> bool:
        """Whether this is a best move, or none to avoid; empty: no answer."""
        return move in self.best if self.best else move not in ("", *self.avoid)


def read_puzzle(line: str) -> Puzzle:
    """One line of EPD. Raises ValueError if it has no position, no legal moves in `bm` or `am`, or neither."""
    words = line.split(" ", 4)
    position = load_game(GAME).parse(" ".join([*words[:4], "0 1"]))
    operations = dict(part.strip().partition(" ")[::2] for part in words[4].split(";") if part.strip())
    best, avoid = (
        tuple(read_san(position, move) for move in operations.get(name, "").replace(",", " ").split())
        for name in ("bm", "am")
    )
    if not best and not avoid:
        raise ValueError(f"neither bm nor am in {line!r}")
    points, moves = (operations.get(name, "").strip('"').split() for name in ("c8", "c9"))
    name = operations.get("id", position.text()).strip('"')
    return Puzzle(name, position, best, avoid, dict(zip(moves, map(int, points), strict=True)))


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
    """One puzzle and who answered it; `player` is empty for the engine.  depth, nodes: of the search, 0 if not told."""

    player: str
    name: str
    solved: bool
    points: int
    move: str
    depth: int
    nodes: int
    time_s: float


def solve(
    engine: Engine, puzzles: Sequence[Puzzle], time_s: float | None, nodes: int | None, beside: Mapping[str, Player]
) -> Iterator[Row]:
    """The puzzles one by one, each by the engine and then by every player of `beside`."""
    for puzzle in puzzles:
        found = engine.search(puzzle.position, time_s=time_s, nodes=nodes)
        yield row("", puzzle, found.move, found.depth, found.nodes, found.time_s)
        for name, player in beside.items():
            assert time_s is not None, "the command line requires it"
            player.new_match(MatchInfo(match=0, game=GAME))
            started = time.perf_counter()
            try:
                reply = player.choose(request_of(puzzle.position, time_s))
            except ProgramError:  # such as no answer in time: not solved
                reply = MoveReply(move="")
            taken_s = time.perf_counter() - started
            yield row(name, puzzle, reply.move, reply.depth or 0, reply.nodes or 0, taken_s)


def row(player: str, puzzle: Puzzle, move: str, depth: int, nodes: int, time_s: float) -> Row:
    """The row of an answer."""
    points = puzzle.points.get(move, 0)
    return Row(player, puzzle.name, puzzle.is_solved_by(move), points, move, depth, nodes, time_s)


def request_of(position: Position, time_s: float) -> MoveRequest:
    """The question for a player that has so much time for this one move."""
    time_ms, text = round(time_s * 1000), position.text()
    return MoveRequest(
        match=0,
        game=GAME,
        seat=position.to_move,
        ply=0,
        position=text,
        history_position=text,
        time_control=f"{time_s:g}/move",
        remaining_ms=time_ms,
        move_limit_ms=time_ms,
        budget_s=time_s,
    )


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
    found.add_argument("--beside", action="append", default=[], help="a PLAYER, such as uci:COMMAND; repeatable")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve and print; in a table those that were not solved."""
    given = command_line().parse_args(arguments)
    if given.beside and given.nodes is not None:
        sys.exit("players beside the engine are given time, not nodes")
    try:
        puzzles = read_puzzles(given.file)
        engine = Engine(load_evaluator(load_game(GAME), given.evaluator), table_mb=given.table_mb)
        beside = {text: build_player(text, table_mb=given.table_mb) for text in given.beside}
    except (ValueError, OSError, PlayerError) as error:
        sys.exit(str(error))
    if given.first is not None:
        puzzles = [puzzles[i * len(puzzles) // given.first] for i in range(min(given.first, len(puzzles)))]
    engine.warm(load_game(GAME).start())
    rows, started = [], time.process_time()
    for found in solve(engine, puzzles, given.time if given.nodes is None else None, given.nodes, beside):
        rows.append(found)
        if given.format == "table" and not found.solved and not found.player:
            print(
                f"{found.name:<12} plays {found.move:<6} depth {found.depth:>2}  {found.nodes:>10,} nodes", flush=True
            )
    if given.format == "json":
        json.dump([row._asdict() for row in rows], sys.stdout, indent=2)
        return
    cpu_s = time.process_time() - started
    for player in ("", *beside):
        own = [row for row in rows if row.player == player]
        print(summary(own, puzzles) + (f"; {player}" if player else f", {cpu_s:.1f} s of the processor"))


def summary(rows: Sequence[Row], puzzles: Sequence[Puzzle]) -> str:
    """What one player reached."""
    most = sum(max(puzzle.points.values(), default=0) for puzzle in puzzles)
    points = f", {sum(row.points for row in rows):,} of {most:,} points" if most else ""
    nodes, clock_s = sum(row.nodes for row in rows), sum(row.time_s for row in rows)
    solved = sum(row.solved for row in rows)
    return f"{solved} of {len(rows)} solved{points}; {nodes:,} nodes, {clock_s:.1f} s by the clock"


if __name__ == "__main__":
    main()
