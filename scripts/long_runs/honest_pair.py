"""Two bots that behave and play each other without a pause: `python -m scripts.long_runs.honest_pair URL --seconds 60`.

They keep a board of their own by the rules: each turn must show it, each end must be what the rules say. On standard
output: one JSON line with what they have seen. A process of its own, so that its figures are not those of whoever
disturbs the server meanwhile. Ends after the time, on SIGTERM, or at the first thing that is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import statistics
import sys
import time
from random import Random
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from scripts.long_runs.mutations import HONEST
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tabiya.protocol.codec import Encoding, decode_server, encode
from tabiya.protocol.messages import (
    Challenged,
    ChallengeEnded,
    ClientMessage,
    Hello,
    MatchEnded,
    MatchStarted,
    Move,
    Notice,
    Seek,
    Turn,
    Welcome,
)

PAUSE_S = 0.03  # between turn and move: the pair is there to be disturbed, not to load the server
CLOCK = "10+1"
PATIENCE_S = 60.0


class Wrong(Exception):
    """The server did what it must not; the text says what."""


class MatchTracker:
    """The matches of the pair as the rules have them; shared by both, since both see the same moves."""

    def __init__(self) -> None:
        self.positions: dict[int, Position] = {}
        self._told: dict[int, set[int]] = {}  # of ended matches: the seats that have been told
        self.ended = 0
        self.moved_at: dict[tuple[int, int], float] = {}
        self.latencies_ms: list[float] = []

    def started(self, message: MatchStarted) -> None:
        """The board of a new match, with the moves of its opening."""
        if message.match not in self.positions:
            position = load_game(message.game).parse(message.position)
            for move in message.opening:
                position = position.play(move)
            self.positions[message.match] = position

    def turn(self, message: Turn) -> None:
        """Raises Wrong when the server's board is another one."""
        position = self.positions.get(message.match)
        if position is None or (position.text(), position.legal_moves()) != (message.position, message.legal_moves):
            raise Wrong(f"match {message.match}, ply {message.ply}: {message.position} is not what was played")
        if (moved_at := self.moved_at.pop((message.match, message.ply - 1), None)) is not None:
            self.latencies_ms.append(1e3 * (time.perf_counter() - moved_at))

    def moves(self, message: Turn, move: str) -> None:
        """One of them is about to send a move."""
        self.positions[message.match] = self.positions[message.match].play(move)
        self.moved_at[message.match, message.ply] = time.perf_counter()

    def end(self, message: MatchEnded) -> None:
        """Raises Wrong unless the match ended as the rules say. Both hear of it."""
        position = self.positions.get(message.match)
        outcome = position.outcome() if position is not None else None
        if outcome is None or (message.ending, message.winner) != (outcome.ending, outcome.winner):
            raise Wrong(f"match {message.match} ended by {message.ending} ({message.reason}); the rules: {outcome}")
        self.ended += 1
        if message.seat in self._told.setdefault(message.match, set()):
            raise Wrong(f"match {message.match} ended twice for seat {message.seat}")
        self._told[message.match].add(message.seat)
        if len(self._told[message.match]) == 2:
            del self.positions[message.match], self._told[message.match]


class HonestBot:
    """One of the two."""

    def __init__(self, number: int, boards: MatchTracker, draw: Random) -> None:
        self.name, self._opponent = HONEST[number], HONEST[1 - number]
        self._encoding, self._boards, self._draw = tuple(Encoding)[number], boards, draw

    async def play(self, url: str) -> None:
        """For ever. Raises Wrong."""
        offered = [Subprotocol(self._encoding.subprotocol)]
        async with connect(url, subprotocols=offered, compression=None, proxy=None, ping_interval=None) as socket:
            await self._say(socket, Hello(name=self.name, max_matches=len(names())))
            for game in names():
                await self._say(socket, Seek(game=game, time=CLOCK, opponent=self._opponent, rated=False))
            async with asyncio.TaskGroup() as self._answers:
                while True:
                    await self._hear(socket)

    async def _say(self, socket: ClientConnection, message: ClientMessage) -> None:
        await socket.send(encode(message, self._encoding))

    async def _answer(self, socket: ClientConnection, turn: Turn) -> None:
        await asyncio.sleep(PAUSE_S)
        move = self._draw.choice(turn.legal_moves or ())
        self._boards.moves(turn, move)
        with contextlib.suppress(ConnectionClosed):  # whoever listens says so
            await self._say(socket, Move(match=turn.match, ply=turn.ply, move=move))

    async def _hear(self, socket: ClientConnection) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                message = decode_server(await socket.recv(), self._encoding)
        except (ConnectionClosed, TimeoutError) as error:
            raise Wrong(f"{self.name}: {error!r}") from None
        match message:
            case MatchStarted():
                self._boards.started(message)
            case Turn():
                self._boards.turn(message)
                self._answers.create_task(self._answer(socket, message))
            case MatchEnded():
                self._boards.end(message)
            case Welcome():
                if message.name != self.name:
                    raise Wrong(f"{self.name} is called {message.name}")
            case Challenged() | ChallengeEnded() | Notice():
                pass  # by somebody else, and it lapses; worth knowing, and may be ignored
            case _:
                raise Wrong(f"{self.name}: {message!r}")


async def loop_lag(late_ms: list[float]) -> None:
    """How late this process is woken, for ever: that is the machine, and no server's doing."""
    while True:
        due = time.perf_counter() + PAUSE_S
        await asyncio.sleep(PAUSE_S)
        late_ms.append(1e3 * (time.perf_counter() - due))


async def play(url: str, seconds: float, seed: int) -> dict[str, Any]:
    """What both have seen; `wrong` is empty if all was well."""
    boards, stop = MatchTracker(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    halves = [asyncio.ensure_future(HonestBot(n, boards, Random(seed + n)).play(url)) for n in range(2)]
    late_ms: list[float] = []
    halves.append(asyncio.ensure_future(loop_lag(late_ms)))
    waiter = asyncio.ensure_future(stop.wait())
    done, _ = await asyncio.wait([*halves, waiter], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    wrong = [_words(task.exception()) for task in done if task is not waiter]
    for task in (*halves, waiter):
        task.cancel()
    await asyncio.gather(*halves, waiter, return_exceptions=True)
    times = boards.latencies_ms
    return {
        "wrong": wrong,
        "moves": len(times),
        "matches_ended": boards.ended // 2,
        "p50_ms": _quantile(times, 500),
        "p99_ms": _quantile(times, 990),
        "most_ms": round(max(times, default=0.0), 1),
        "woken_late_p99_ms": _quantile(late_ms, 990),
    }


def _quantile(times_ms: list[float], thousandth: int) -> float:
    return round(statistics.quantiles(times_ms, n=1000)[thousandth - 1], 2) if len(times_ms) > 1 else 0.0


def _words(error: BaseException | None) -> str:
    return "; ".join(map(_words, error.exceptions)) if isinstance(error, BaseExceptionGroup) else str(error)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--seconds", type=float, default=3_600.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    sys.stdout.write(json.dumps(asyncio.run(play(chosen.url, chosen.seconds, chosen.seed))) + "\n")


if __name__ == "__main__":
    main()
