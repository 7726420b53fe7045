"""Games and moves a second of `tabiya match`, by game and by how many games are played at once.

    python -m benchmarks.match                              players inside this process that answer at once
    python -m benchmarks.match --instant                    two UCI programs that answer at once, in chess (needs g++)
    python -m benchmarks.match --uci './one' './two'        any two UCI programs
    python -m benchmarks.match --saved                      everything saved in an SQLite file on the way

Every game goes through the same server core, protocol messages and store as any other; players inside the process take
the place of programs, so what is measured is our own path alone. Their moves are drawn from the position: the same
games in every run. Taken is the time from the end of the first game to that of the last, and the processor time of this
process (own) and of the programs (theirs) for each move, which other load on the machine changes less.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import subprocess
import tempfile
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common import parser, print_rows
from tabiya.bots.client.run import run_loop
from tabiya.games.endings import Ending
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.messages import Hello, Move, ServerMessage, Turn, Welcome
from tabiya.server.app import TabiyaServer
from tabiya.server.transport.base import InProcess

GAMES = ("tictactoe", "reversi", "chess")
PAIRS = {"tictactoe": 400, "reversi": 60, "chess": 20}
INSTANT = Path(__file__).with_name("instant_uci.cpp")


COLUMNS = {
    "game": ("game", "<10"),
    "concurrency": ("at once", ">7"),
    "games_per_s": ("games/s", ">8.1f"),
    "moves_per_s": ("moves/s", ">8.0f"),
    "own_us": ("own us/move", ">11.1f"),
    "their_us": ("theirs", ">7.1f"),
}


@dataclass(frozen=True)
class Row:
    """One measurement. own_us, their_us: processor time for each move.  late: games lost on time."""

    game: str
    concurrency: int
    games: int
    moves: int
    games_per_s: float
    moves_per_s: float
    own_us: float
    their_us: float
    late: int


class InstantParticipant(InProcess):
    """A player that answers each turn in the next turn of the loop: a `Participant` and a connection."""

    address, is_loopback, round_trip_ns, backlog = "local", True, 0, 0

    def __init__(self, plan: MatchPlan, number: int, server: TabiyaServer) -> None:
        self._loop = asyncio.get_running_loop()
        self.name, self.id = plan.players[number], f"instant {number}"
        self.failed: asyncio.Future[None] = self._loop.create_future()
        self._plan, self._dispatcher, self._now_ns = plan, server.dispatcher, server.dispatcher.runner.now_ns
        self._welcome: asyncio.Future[None] = self._loop.create_future()

    async def join(self) -> None:
        """See `Participant.join`."""
        self._dispatcher.opened(self)
        hello = Hello(name=self.name, games=(self._plan.game,), max_matches=self._plan.concurrency)
        self._dispatcher.received(self, hello, self._now_ns())
        await self._welcome

    async def prepare(self) -> None:
        """See `Participant.prepare`."""

    async def leave(self) -> None:
        """See `Participant.leave`."""

    def send(self, message: ServerMessage) -> None:
        """See `tabiya.server.transport.base.Connection.send`."""
        if isinstance(message, Turn):
            self._loop.call_soon(self._answer, message)
        elif isinstance(message, Welcome):
            self._welcome.set_result(None)

    def flush(self) -> None:
        """See `tabiya.server.transport.base.Connection.flush`: nothing waits here."""

    def close(self, code: CloseCode, reason: str) -> None:
        """See `tabiya.server.transport.base.Connection.close`."""
        self._loop.call_soon(self._dispatcher.closed, self)

    def _answer(self, turn: Turn) -> None:
        assert turn.legal_moves is not None
        draw = zlib.crc32(f"{turn.position} {turn.ply}".encode())
        move = turn.legal_moves[draw % len(turn.legal_moves)]
        self._dispatcher.received(self, Move(match=turn.match, ply=turn.ply, move=move), self._now_ns())


async def measure(plan: MatchPlan, inside: bool) -> Row:
    """Play the match and take its times, those of the first game left out: it waits for whatever starts."""
    played, marks = MatchScore(), list[tuple[float, float]]()

    def progress(now: MatchScore) -> None:
        if len(now.games) in (1, plan.games):
            marks.append((time.perf_counter(), time.process_time()))

    participant_factory = (
        (lambda plan, number, server, listener: InstantParticipant(plan, number, server)) if inside else None
    )
    theirs = children_s()
    await play(plan, played, print, progress, participant_factory=participant_factory)
    moves = sum(game.plies for game in played.games.values())
    counted = moves - next(iter(played.games.values())).plies
    (began, own_began), (ended, own_ended) = marks
    return Row(
        plan.game,
        plan.concurrency,
        plan.games,
        moves,
        round((plan.games - 1) / (ended - began), 1),
        round(counted / (ended - began)),
        round((own_ended - own_began) / counted * 1e6, 1),
        round((children_s() - theirs) / moves * 1e6, 1),
        sum(game.ending == Ending.TIME for game in played.games.values()),
    )


def children_s() -> float:
    """Processor time of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def instant_programs(folder: Path, *, wait: bool = False) -> tuple[str, str]:
    """The commands of two UCI programs that draw their moves, compiled into `folder`. Raises OSError without g++.

    wait: they use their clocks.
    """
    program, waits = folder / "instant", " waits" if wait else ""
    subprocess.run(["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, INSTANT], check=True)
    return f"{program} 1{waits}", f"{program} 2{waits}"


def rows(given: argparse.Namespace) -> list[Row]:
    """All measurements asked for."""
    found = []
    for game in ("chess",) if given.uci else given.games.split(","):
        for concurrency in map(int, given.concurrency.split(",")):
            players = tuple(f"uci:{command}" for command in given.uci) if given.uci else ("one", "two")
            with tempfile.TemporaryDirectory() as folder:
                database = str(Path(folder) / "games.db") if given.saved else "memory:"
                pairs = given.pairs or PAIRS[game]
                plan = MatchPlan((players[0], players[1]), game, pairs, given.time, concurrency, database=database)
                found.append(run_loop(measure(plan, not given.uci)))
    return found


def main() -> None:
    command_line = parser("games and moves a second of matches between instant players")
    command_line.add_argument("--games", default=",".join(GAMES))
    command_line.add_argument("--concurrency", default="1,2,8")
    command_line.add_argument("--pairs", type=int, default=0)
    command_line.add_argument("--time", default="60+1")
    command_line.add_argument("--uci", nargs=2, metavar="COMMAND", help="two UCI programs instead of players inside")
    command_line.add_argument("--instant", action="store_true", help="the two UCI programs of instant_uci.cpp")
    command_line.add_argument("--saved", action="store_true", help="save everything in an SQLite file")
    given = command_line.parse_args()
    gc.set_threshold(50_000, 20, 100)  # as `tabiya match` does
    with tempfile.TemporaryDirectory() as folder:
        if given.instant:
            given.uci = instant_programs(Path(folder))
        found = rows(given)
    print_rows(found, COLUMNS, given.format)


if __name__ == "__main__":
    main()
