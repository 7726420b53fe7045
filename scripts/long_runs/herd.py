"""Two hundred bots whose server is restarted: how long until all are back, and how many were told `busy` on the way.

python -m scripts.long_runs.herd                                # 200 bots, the usual limits
python -m scripts.long_runs.herd --bots 200 --hellos 16         # a door so narrow that many are told to come later
python -m scripts.long_runs.herd --bots 10                      # short

The bots wait as our client does (`bots/client/backoff.py`): half of a growing pause is drawn, and after `busy` at least
what the server says and up to as much again. It fails when one is not back within a minute of the server.
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
from collections.abc import Sequence
from pathlib import Path
from random import Random

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from bots.client.backoff import backoff_delays, busy_delay
from protocol.codec import Encoding, decode_server, encode
from protocol.messages import Busy, Hello, Welcome
from scripts.long_runs.mortal_server import MortalServer

PATIENCE_S = 60.0


class Herd:
    """All bots. counts: attempts, and how they ended.  back_s: after how long each was welcomed again."""

    def __init__(self, server: MortalServer, bots: int, seed: int) -> None:
        self._server, self.bots, self._seed = server, bots, seed
        self.here: set[int] = set()
        self.counts: Counter[str] = Counter()
        self.back_s: list[float] = []
        self.since = time.monotonic()
        self._changed = asyncio.Event()

    async def all_here(self, yes: bool) -> None:
        """Wait until all are here, or none is. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.here) != (self.bots if yes else 0):
                self._changed.clear()
                await self._changed.wait()

    async def bot(self, number: int) -> None:
        """One of them, for ever."""
        draw = Random(self._seed * 1_000 + number)
        delays, busy_ms = backoff_delays(draw), 0
        while True:
            self.counts["attempts"] += 1
            with contextlib.suppress(OSError, WebSocketException, TimeoutError):
                busy_ms, was_here = await self._connected(number)
                delays = backoff_delays(draw) if was_here else delays
            await asyncio.sleep(max(next(delays), busy_delay(draw, busy_ms)))

    async def _connected(self, number: int) -> tuple[int, bool]:
        """One connection to its end: what `busy` said, and whether the bot was welcomed."""
        offered, busy_ms = [Subprotocol(Encoding.JSON.subprotocol)], 0
        async with connect(self._server.websocket, subprotocols=offered, compression=None, proxy=None) as socket:
            try:
                await socket.send(encode(Hello(name=f"herd{number}", max_matches=0), Encoding.JSON))
                while True:
                    message = decode_server(await socket.recv(), Encoding.JSON)
                    if isinstance(message, Welcome):
                        self.here.add(number)
                        self.back_s.append(time.monotonic() - self.since)
                        self._changed.set()
                    elif isinstance(message, Busy):
                        self.counts["busy"] += 1
                        busy_ms = message.retry_ms
            except ConnectionClosed:
                return busy_ms, number in self.here
            finally:
                self.here.discard(number)
                self._changed.set()


async def play(bots: int, hellos: int, seed: int, folder: Path) -> Herd:
    """Come, be sent away by a restart, and come back."""
    settings = {"TABIYA_LIMIT_HELLOS_IN_PROGRESS": str(hellos)}
    server = MortalServer(folder / "herd.db", folder, settings, spare=True)
    await server.start()
    herd = Herd(server, bots, seed)
    tasks = [asyncio.ensure_future(herd.bot(number)) for number in range(bots)]
    try:
        await herd.all_here(yes=True)
        await server.end(signal.SIGTERM)
        await herd.all_here(yes=False)
        herd.counts.clear()
        herd.back_s.clear()
        await server.start()
        herd.since = time.monotonic()
        herd.back_s += [0.0] * len(herd.here)
        await herd.all_here(yes=True)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.close()
    return herd


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
            herd = asyncio.run(play(chosen.bots, chosen.hellos, chosen.seed, Path(folder)))
        except TimeoutError:
            print(f"not all are back {PATIENCE_S:.0f} s after the server")
            return 1
    back = herd.back_s
    print(f"{chosen.bots} bots are back: half in {at(0.5, back):.1f} s, all in {max(back):.1f} s after the server was")
    print(f"{herd.counts['attempts']} attempts, {herd.counts['busy']} answered busy; load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
