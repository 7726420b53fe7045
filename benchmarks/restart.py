"""How long a server that was killed takes until it answers again, with matches to go on with and without.

    tabiya bench restart [--game reversi] [--matches 1000] [--moves 33] [--repeat 3] [--database postgresql://…]

A database of its own is filled with running matches of that many random moves; a server is started on it, asked
`/healthz` until that says ok, and killed, again and again. s: by the clock.  cpu s: of the processor, the whole
process, which other load changes less. Medians. `times`: the start with matches compared with that on an empty
database. us/move: what each stored move adds.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common import parser, print_rows
from benchmarks.growth.pages import serving
from tabiya.games.registry import load_game, names
from tabiya.storage.open import open_store
from tabiya.storage.records import MoveRecord, NewMatch, SeatRecord
from tabiya.storage.store import Store

BASE_US, THINK_US, BEGAN = 600_000_000, 40_000, 1.75e9
INFO = {"depth": 11, "score": 34, "nodes": 1_234_567, "time_ms": 40, "pv": ["c4", "e3", "f6"]}
COLUMNS = {
    "matches": ("matches", ">8d"),
    "moves": ("moves", ">8d"),
    "seconds": ("s", ">7.2f"),
    "cpu_s": ("cpu s", ">7.2f"),
    "times": ("times", ">7.2f"),
    "us_per_move": ("us/move", ">8.1f"),
}


@dataclass(frozen=True)
class Row:
    """Starts on one database. seconds, cpu_s: medians.  times, us_per_move: compared with the empty one."""

    matches: int
    moves: int
    seconds: float
    cpu_s: float
    times: float
    us_per_move: float


async def fill(address: str, game: str, matches: int, moves: int) -> int:
    """Running matches in an empty database, as a server would have stored them; how many moves there are."""
    store = await open_store(address)
    draw, written = random.Random(1), 0
    try:
        bots = [await store.create_bot(f"bot-{number}", created_at=BEGAN) for number in range(2)]
        seats = tuple(SeatRecord(bot_id=bot.id, bot=bot.name, version="1") for bot in bots)
        for first in range(0, matches, 100):
            numbers = range(first, min(first + 100, matches))
            written += sum(await asyncio.gather(*(_match(store, game, seats, n, moves, draw) for n in numbers)))
    finally:
        await store.close()
    return written


async def _match(
    store: Store, name: str, seats: tuple[SeatRecord, ...], number: int, moves: int, draw: random.Random
) -> int:
    game = load_game(name)
    position = game.start()
    new = NewMatch(
        key=f"restart-{number}",
        game=name,
        rules_version=game.rules_version,
        options=game.read_options({}),
        start_text=position.text(),
        time_control="600+0",
        seats=(seats[0], seats[1]),
        rated=True,
        illegal_limit=3,
        stall_limit_ms=600_000,
        remaining_us=(BASE_US, BASE_US),
        credit_left_us=(0, 0),
        created_at=BEGAN,
    )
    match_id, left_us, saves = await store.create_match(new), [BASE_US, BASE_US], []
    for ply in range(moves):
        text, seat = draw.choice(position.legal_moves()), position.to_move
        following = position.play(text)
        if following.outcome() is not None:
            break
        position = following
        left_us[seat] -= THINK_US
        row = MoveRecord(
            match_id=match_id,
            ply=ply,
            text=text,
            seat=seat,
            remaining_us=(left_us[0], left_us[1]),
            server_us=100,
            think_us=THINK_US,
            info=INFO,
            sent_at=BEGAN + 0.05 * ply,
            at=BEGAN + 0.05 * ply + THINK_US / 1e6,
        )
        saves.append(store.append_move(row))
    await asyncio.gather(*saves)
    return len(saves)


def starts(address: str, repeat: int) -> tuple[float, float]:
    """Seconds and processor seconds until the server answers, each the median of so many kills."""
    found = []
    for _ in range(repeat):
        with serving(address) as server:
            found.append(server.started)
            server.kill()
    seconds, cpu_s = zip(*found, strict=True)
    return statistics.median(seconds), statistics.median(cpu_s)


def rows(given: argparse.Namespace) -> Iterator[Row]:
    """The empty database, then the full one."""
    with tempfile.TemporaryDirectory(prefix="tabiya-bench-") as folder:
        empty = str(Path(folder, "empty.db"))
        starts(empty, 1)  # what is compiled or read from the disk for the first time is not measured
        seconds, base_s = starts(empty, given.repeat)
        yield Row(0, 0, seconds, base_s, 1.0, 0.0)
        address = given.database or str(Path(folder, "matches.db"))
        moves = asyncio.run(fill(address, given.game, given.matches, given.moves))
        seconds, cpu_s = starts(address, given.repeat)
        yield Row(given.matches, moves, seconds, cpu_s, cpu_s / base_s, 1e6 * (cpu_s - base_s) / max(1, moves))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    found = parser("how long a server that was killed takes until it answers again")
    found.add_argument("--game", choices=names(), default="reversi")
    found.add_argument("--matches", type=int, default=1_000)
    found.add_argument("--moves", type=int, default=33, help="of each match; fewer where the game ends before")
    found.add_argument("--repeat", type=int, default=3)
    found.add_argument(
        "--database", help="an empty PostgreSQL for the matches; a file in a temporary folder if not given"
    )
    given = found.parse_args(arguments)
    print_rows(rows(given), COLUMNS, given.format)


if __name__ == "__main__":
    main()
