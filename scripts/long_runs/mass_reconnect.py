"""Two hundred bots whose server is restarted, or whose lines all break at once: how long until all are back, and how.

python -m scripts.long_runs.mass_reconnect                          # 200 bots, the usual limits
python -m scripts.long_runs.mass_reconnect --bots 200 --hellos 16   # a door so narrow that many are told to come later
python -m scripts.long_runs.mass_reconnect --bots 10                # short

The bots wait as our client does (`bots/client/backoff.py`): half of a growing pause is drawn, and after `busy` at least
what the server says and up to as much again. When all lines break at once (a switch without power), they come back
without any pause, which is the worst that can be. It fails when one is not back within a minute of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from scripts.long_runs.harness.restartable_server import RestartableServer
from tabiya.bots.client.backoff import backoff_delays, busy_delay
from tabiya.protocol.codec import Encoding, decode_server, encode
from tabiya.protocol.messages import Busy, Hello, Welcome

PATIENCE_S = 60.0


class ReconnectingBots:
    """All bots. counts: attempts, and how they ended.  back_s: after how long each was welcomed again."""

    def __init__(self, server: RestartableServer, seed: int) -> None:
        self._server, self._seed = server, seed
        self.here: set[int] = set()
        self.counts: Counter[str] = Counter()
        self.back_s: list[float] = []
        self.since = time.monotonic()
        self._lines: dict[int, ClientConnection] = {}
        self._in_a_hurry: set[int] = set()
        self._changed = asyncio.Event()

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the condition holds. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                self._changed.clear()
                await self._changed.wait()

    def begin(self) -> None:
        """Count from now."""
        self.counts, self.back_s, self.since = Counter(), [], time.monotonic()

    def break_lines(self) -> None:
        """Cut every line without a close frame; the next attempts come at once."""
        self._in_a_hurry = set(self._lines)
        for line in list(self._lines.values()):
            line.transport.abort()

    async def bot(self, number: int) -> None:
        """One of them, forever."""
        draw = Random(self._seed * 1_000 + number)
        delays, busy_ms = backoff_delays(draw), 0
        while True:
            self.counts["attempts"] += 1
            with contextlib.suppress(OSError, WebSocketException, TimeoutError):
                busy_ms, was_here = await self._connected(number)
                delays = backoff_delays(draw) if was_here else delays
            pause_s = max(next(delays), busy_delay(draw, busy_ms))
            await asyncio.sleep(0 if number in self._in_a_hurry else pause_s)
            self._in_a_hurry.discard(number)

    async def _connected(self, number: int) -> tuple[int, bool]:
        """One connection to its end: the delay of a `busy`, and whether the bot was welcomed."""
        offered, busy_ms = [Subprotocol(Encoding.JSON.subprotocol)], 0
        async with connect(self._server.websocket, subprotocols=offered, compression=None, proxy=None) as socket:
            try:
                with contextlib.suppress(ConnectionClosed):  # it may have been told `busy` already, which is to be read
                    await socket.send(encode(Hello(name=f"herd{number}", max_matches=0), Encoding.JSON))
                while True:
                    message = decode_server(await socket.recv(), Encoding.JSON)
                    if isinstance(message, Welcome):
                        self.here.add(number)
                        self._lines[number] = socket
                        self.back_s.append(time.monotonic() - self.since)
                        self._changed.set()
                    elif isinstance(message, Busy):
                        self.counts["busy"] += 1
                        busy_ms = message.retry_ms
            except ConnectionClosed:
                return busy_ms, number in self.here
            finally:
                self.here.discard(number)
                self._lines.pop(number, None)
                self._changed.set()


class Return(NamedTuple):
    """How all came back. back_s: after how long, each.  counts: attempts, and how they ended."""

    after: str
    back_s: list[float]
    counts: Counter[str]


async def play(bots: int, hellos: int, seed: int, folder: Path) -> list[Return]:
    """Connect all bots, restart the server, wait until all are back, cut all connections, and wait again."""
    settings = {"TABIYA_LIMIT_HELLOS_IN_PROGRESS": str(hellos)}
    server = RestartableServer(folder / "herd.db", folder, settings, spare=True)
    await server.start()
    herd = ReconnectingBots(server, seed)
    tasks = [asyncio.ensure_future(herd.bot(number)) for number in range(bots)]
    try:
        await herd.until(lambda: len(herd.here) == bots)
        await server.end(signal.SIGTERM)
        await herd.until(lambda: not herd.here)
        await server.start()
        herd.begin()
        herd.back_s += [0.0] * len(herd.here)
        await herd.until(lambda: len(herd.here) == bots)
        returns = [Return("a restart", herd.back_s, herd.counts)]
        herd.begin()
        herd.break_lines()
        await herd.until(lambda: len(herd.back_s) >= bots)
        returns.append(Return("a break of all lines", herd.back_s, herd.counts))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.close()
    return returns


def at(share: float, values: Sequence[float]) -> float:
    """The value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--hellos", type=int, default=256, help="LIMIT_HELLOS_IN_PROGRESS of the server")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="tabiya-herd-") as folder:
        try:
            returns = asyncio.run(play(chosen.bots, chosen.hellos, chosen.seed, Path(folder)))
        except TimeoutError:
            print(f"not all are back {PATIENCE_S:.0f} s after the server")
            return 1
    for after, back, counts in returns:
        print(f"{chosen.bots} bots are back after {after}: half in {at(0.5, back):.1f} s, all in {max(back):.1f} s")
        print(f"{counts['attempts']} attempts, {counts['busy']} answered busy; load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
