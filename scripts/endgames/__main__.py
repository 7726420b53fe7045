"""See the package."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from scripts.endgames.check import check
from scripts.endgames.games import games
from scripts.endgames.pack import file_of
from scripts.endgames.retrograde import ILLEGAL, solve
from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.chess.bitbase import FILE
from tabiya.bots.evaluators.chess.endgame_index import DISTANCES, TABLES
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.registry import load_game

HARD = (*DISTANCES, "KRKP", "KPKP")


def tell(table: int, values: Any) -> None:
    """Print how many positions of a table each side wins, being to move, and in how many moves at most."""
    columns = []
    for to_move in values.reshape(2, -1):
        won = to_move[(to_move > 0) & (to_move % 2 == 0)]
        lost, legal = int((to_move % 2 == 1).sum() - (to_move == ILLEGAL).sum()), int((to_move != ILLEGAL).sum())
        columns.append(f"{legal:>9} {won.size:>9} {won.max(initial=0) // 2:>3} {lost:>9}")
    print(f"{TABLES[table]:5} {'   '.join(columns)}", flush=True)


def run_build(values: Any) -> None:
    """Write the file."""
    FILE.unlink(missing_ok=True)  # others that have mapped it go on with what was there
    file_of(values).tofile(FILE)
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")


def run_check(values: Any, every: int) -> None:
    """Compare; status 1 where something is wrong."""
    is_wrong = False
    for name, compared, wrong in check(values, every):
        is_wrong = is_wrong or bool(wrong)
        print(f"{name:10} {compared:>9} compared, {'wrong: ' + str(wrong) if wrong else 'all right'}", flush=True)
    if is_wrong:
        sys.exit(1)


def run_play(values: Any, given: argparse.Namespace) -> None:
    """Play; status 1 where a game was not won."""
    engine, failed = Engine(evaluator_for(load_game("chess")), table_mb=4), 0
    for name in given.tables:
        played = list(games(values, engine, name, given.games, given.nodes, given.seed))
        lost = [game.start for game in played if not game.won]
        moves, fewest = (
            sum(numbers) / len(played) for numbers in zip(*((g.moves, g.fewest) for g in played), strict=True)
        )
        print(f"{name}: {len(played) - len(lost)} of {len(played)} won, {moves:.1f} moves, {fewest:.1f} by right play")
        print("".join(f"  not won: {start}\n" for start in lost), end="", flush=True)
        failed += len(lost)
    if failed:
        sys.exit(1)


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="python -m scripts.endgames", description="endings of three and four men")
    commands = found.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="write the file of the engine")
    checking = commands.add_parser("check", help="compare every position with its moves and the file")
    checking.add_argument("--every", type=int, default=1, help="every so many positions only")
    playing = commands.add_parser("play", help="have the engine win, against the best defence")
    playing.add_argument("--tables", nargs="+", choices=TABLES, default=HARD)
    playing.add_argument("--games", type=int, default=50, help="of each table")
    playing.add_argument("--nodes", type=int, default=10_000, help="of the engine, a move")
    playing.add_argument("--seed", type=int, default=1)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve, then do what is asked for."""
    given = command_line().parse_args(arguments)
    values = solve(tell=tell if given.command == "build" else None)
    if given.command == "build":
        run_build(values)
    elif given.command == "check":
        run_check(values, given.every)
    else:
        run_play(values, given)


if __name__ == "__main__":
    main()
