"""See the package."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from dataclasses import replace

from benchmarks.server.budget import budget
from benchmarks.server.half_open import half_open
from benchmarks.server.pages import pages
from benchmarks.server.parts import PARTS, Row, Scale
from benchmarks.server.processes import BenchmarkFailed

ALL = PARTS | {"half-open": half_open, "pages": pages, "budget": budget}


def show(name: str, rows: list[Row], form: str) -> None:
    """Print the rows of one part."""
    if form == "json":
        json.dump({"part": name, "rows": rows}, sys.stdout)
        print(flush=True)
        return
    print(f"\n{name}")
    columns = [[head, *(str(row[head]) for row in rows)] for head in rows[0]]
    for cells in zip(*([cell.rjust(max(map(len, column))) for cell in column] for column in columns), strict=True):
        print("  ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tabiya bench server", description=__doc__ and "How much one server carries.")
    usual = Scale()
    parser.add_argument("--only", default=",".join(ALL), help="parts, of: %(default)s")
    parser.add_argument("--games", default=",".join(usual.games))
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="of each measurement (%(default)s)")
    parser.add_argument("--pairs", type=int, default=usual.pairs, help="of connections, for speed (%(default)s)")
    parser.add_argument("--matches", type=int, default=usual.matches, help="of each pair, for speed (%(default)s)")
    parser.add_argument("--at-once", default=",".join(map(str, usual.at_once)), help="matches, for latency")
    parser.add_argument(
        "--share",
        type=float,
        default=usual.share,
        help="for latency of the server's core, for half-open connections of the greatest speed (%(default)s)",
    )
    parser.add_argument("--by-speed", action="store_true", help="let --share be of the greatest speed for latency, too")
    parser.add_argument(
        "--together",
        action="store_true",
        help="let all matches begin at once, for latency; else over the time of a game",
    )
    parser.add_argument("--idle", type=int, default=usual.idle, help="idle connections (%(default)s)")
    parser.add_argument("--spectators", type=int, default=usual.spectators)
    parser.add_argument(
        "--followers", type=int, default=usual.followers, help="pages that follow a match (%(default)s)"
    )
    parser.add_argument(
        "--half-open", type=int, default=usual.half_open, help="connections that never say hello (%(default)s)"
    )
    parser.add_argument(
        "--rounds", type=int, default=usual.rounds, help="of following, and of half-open connections (%(default)s)"
    )
    parser.add_argument(
        "--nice", type=int, default=usual.niceness, help="of all processes, where allowed (%(default)s)"
    )
    parser.add_argument("--format", choices=("table", "json"), default="table")
    given = parser.parse_args()
    scale = replace(
        usual,
        games=tuple(given.games.split(",")),
        seconds=given.seconds,
        pairs=given.pairs,
        matches=given.matches,
        at_once=tuple(map(int, given.at_once.split(","))),
        idle=given.idle,
        spectators=given.spectators,
        followers=given.followers,
        half_open=given.half_open,
        rounds=given.rounds,
        niceness=given.nice,
        share=given.share,
        by_speed=given.by_speed,
        together=given.together,
    )
    for name in given.only.split(","):
        if name not in ALL:
            parser.error(f"there is no part {name} (there are: {', '.join(ALL)})")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and what was started is ended
    try:
        for name in given.only.split(","):
            show(name, ALL[name](scale), given.format)
    except BenchmarkFailed as error:
        raise SystemExit(f"tabiya bench server: {error}") from None


if __name__ == "__main__":
    main()
