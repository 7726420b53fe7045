"""Make a database of copies of real games, and measure a server's pages with it.

    tabiya match random greedy --game nim --games 1600 --database real.db      # and other games into the same file
    python -m benchmarks.growth make large.db --source real.db --games 1000000
    python -m benchmarks.growth pages large.db
    python -m benchmarks.growth statements large.db --games 1000000               # or postgresql://…, empty at first
    OPENBLAS_NUM_THREADS=1 python -m benchmarks.growth stalls large.db           # as `tabiya serve` has it

Of a page: seconds and processor seconds of the server until it is there, its bytes as they are sent (compressed), and
the longest time that another request, one for which the event loop alone is needed, waited meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from benchmarks.common import print_rows
from benchmarks.growth import pages, stalls, statements
from benchmarks.growth.copies import make


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    orders = parser.add_subparsers(dest="order", required=True)
    making = orders.add_parser("make", help="make a database")
    making.add_argument("database", type=Path)
    making.add_argument("--source", type=Path, required=True, help="a database of pairs of games")
    making.add_argument("--games", type=int, default=100_000, help="how many (%(default)s)")
    making.add_argument("--bots", type=int, default=200, help="how many play them (%(default)s)")
    making.add_argument("--seed", type=int, default=1)
    measuring = orders.add_parser("pages", help="measure the pages of a server with this database, which it writes to")
    measuring.add_argument("database", type=Path)
    measuring.add_argument("--bot", default="bot-0007", help="whose pages are visited (%(default)s)")
    measuring.add_argument("--match", type=int, default=500, help="number of the match that is visited (%(default)s)")
    stalling = orders.add_parser("stalls", help="measure how long the event loop stands still for the ratings")
    stalling.add_argument("database", type=Path)
    asking = orders.add_parser("statements", help="measure each question to a database; an empty one is filled first")
    asking.add_argument("database", help="a file or postgresql://…")
    asking.add_argument("--games", type=int, default=100_000, help="how many (%(default)s)")
    asking.add_argument("--plies", type=int, default=12, help="of each (%(default)s)")
    for order in (measuring, stalling, asking):
        order.add_argument("--format", choices=("table", "json"), default="table")
    given = parser.parse_args()
    if given.order == "make":
        make(given.database, given.source, given.games, given.bots, given.seed)
    elif given.order == "statements":
        asked = statements.measure(given.database, given.games, given.plies)
        print_rows(asked, statements.COLUMNS, given.format)
    elif given.order == "pages":
        print_rows(pages.visits(given.database, given.bot, given.match), pages.COLUMNS, given.format)
    else:
        print_rows(asyncio.run(stalls.stalls(given.database)), stalls.COLUMNS, given.format)


if __name__ == "__main__":
    main()
