"""The cost of a sandbox for a program's start and for a move, as a ratio to no sandbox.

    tabiya bench sandbox [--kinds none,bubblewrap,landlock,podman] [--starts 10] [--moves 300] [--format table|json]

A bot of a few lines answers in a worker of the pool, as in `tabiya match` and `tabiya class run`; in a sandbox it is
thawed for every question and frozen after every answer. start: from nothing until it is ready. move: from the question
to the answer; the bot does not think. The kinds take turns at each start, so that other load meets all of them.
ms: medians. ratio: to the first kind that is named.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.common import parser, print_rows
from tabiya.bots.players.api import MatchInfo, MoveRequest
from tabiya.bots.pool.pool import WorkerPool
from tabiya.bots.pool.time_limits import MoveTimeLimits
from tabiya.errors import UserError
from tabiya.sandbox.choice import choose
from tabiya.sandbox.limits import Limits
from tabiya.sandbox.option import SandboxOption
from tabiya.sandbox.sandbox import Sandbox

COLUMNS = {
    "sandbox": ("sandbox", "<12"),
    "start_ms": ("start ms", ">9.0f"),
    "start_ratio": ("ratio", ">6.2f"),
    "move_ms": ("move ms", ">9.3f"),
    "move_ratio": ("ratio", ">6.2f"),
}
KINDS = (SandboxOption.NONE, SandboxOption.BUBBLEWRAP, SandboxOption.LANDLOCK, SandboxOption.PODMAN)
BOT = """from tabiya.bots.client import Bot

class First(Bot):
    games = ("tictactoe",)

    def choose(self, turn):
        return turn.legal_moves[0]
"""
POSITION = "--------- X"
LIMITS = MoveTimeLimits(think_s=20.0, grace_s=1.0, answer_s=30.0)
PAUSE_S = 0.002  # between moves, in which the opponent would think


@dataclass(frozen=True)
class Row:
    """A kind of sandbox."""

    sandbox: str
    start_ms: float
    start_ratio: float
    move_ms: float
    move_ratio: float


@dataclass
class Times:
    """The measurements of one kind, in seconds."""

    starts: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)


async def one_start(bot: Path, sandbox: Sandbox | None, moves: int, times: Times) -> None:
    """Start a worker and let it move so often; the first move is not counted, for it makes the player."""
    pool = WorkerPool(f"{bot}:First", report=lambda text: print(text, file=sys.stderr), sandbox=sandbox)
    began = time.perf_counter()
    await pool.start()
    times.starts.append(time.perf_counter() - began)
    match = MatchInfo(match=1, game="tictactoe")
    request = MoveRequest(
        match=1, game="tictactoe", ply=0, seat=0, position=POSITION, history_position=POSITION, legal_moves=("a1",),
        budget_s=20.0,
    )  # fmt: skip
    try:
        for number in range(moves + 1):
            await asyncio.sleep(PAUSE_S)
            began = time.perf_counter()
            await pool.think(match, request, LIMITS)
            if number:
                times.moves.append(time.perf_counter() - began)
    finally:
        await pool.close()


def measure(given: argparse.Namespace) -> Iterator[Row]:
    """A row for each kind of sandbox. Raises UserError for one that does not work here."""
    kinds = [SandboxOption(word) for word in given.kinds.split(",")]
    found = {kind: Times() for kind in kinds}
    sandboxes = {kind: choose(kind, Limits(), lambda sentence: None) for kind in kinds}
    with tempfile.TemporaryDirectory(prefix="tabiya-bench-") as folder:
        bot = Path(folder) / "bot.py"
        Path(folder).chmod(0o755)  # the program is somebody else
        bot.write_text(BOT)
        bot.chmod(0o644)
        asyncio.run(one_start(bot, None, 1, Times()))  # what is compiled and read for the first time
        for _ in range(given.starts):
            for kind in kinds:
                asyncio.run(one_start(bot, sandboxes[kind], given.moves, found[kind]))
    first = found[kinds[0]]
    for kind in kinds:
        yield row(kind, found[kind], first)


def row(sandbox: str, times: Times, first: Times) -> Row:
    """Medians, and how many times those of the first kind they are."""
    (start, move), (first_start, first_move) = (
        (statistics.median(one.starts), statistics.median(one.moves)) for one in (times, first)
    )
    return Row(
        sandbox, round(start * 1e3), round(start / first_start, 2), round(move * 1e3, 3), round(move / first_move, 2)
    )


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("what a sandbox of a program costs")
    found.add_argument("--kinds", default=",".join(KINDS), help="separated by commas; all by default")
    found.add_argument("--starts", type=int, default=10, help="of each kind (default 10)")
    found.add_argument("--moves", type=int, default=300, help="after each start (default 300)")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = command_line().parse_args(arguments)
    if unknown := [word for word in given.kinds.split(",") if word not in KINDS]:
        sys.exit(f"there is no sandbox {unknown[0]!r} (there are: {', '.join(KINDS)})")
    try:
        print_rows(measure(given), COLUMNS, given.format)
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
