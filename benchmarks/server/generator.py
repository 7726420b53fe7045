"""The load generator: many players in one process, controlled by lines of JSON.

python -m benchmarks.server.generator    # started by the benchmark; reads {"do": ..., ...} lines, answers each with one
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import resource
import sys
import time
from typing import Any, cast

import psutil

from benchmarks.server.answers import answer, as_int, is_turn
from benchmarks.server.samples import EVERY_MATCH, EVERY_TURN, MOST_TURNS, Samples
from scripts.websocket_frames import CLOSE, PING, PONG, client_frame, handshake, server_frame_end
from tabiya.processes.server_process import allow_many_files, run_loop
from tabiya.protocol.codec import Encoding, decode_server, encode
from tabiya.protocol.messages import (
    ClientMessage,
    Hello,
    MatchEnded,
    MatchStarted,
    Refused,
    Seek,
    Watch,
    Watching,
    Welcome,
)

AT_ONCE = 64  # connections that are being opened; the server lets a few hundred be between handshake and welcome
TICK_S = 0.001
POLL_S = 0.25
PATIENCE_S = 120.0


class Player(asyncio.Protocol):
    """One connection: a bot that answers every turn at once or later, a watcher, or an echo's client."""

    transport: asyncio.Transport

    def __init__(self, load: Load, plan: dict[str, Any]) -> None:
        self.load, self.plan = load, plan
        self.ready = asyncio.get_running_loop().create_future()
        self.rest = b""
        self.upgraded = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # of uvloop, which derives from nothing of asyncio
        echo = "echo_bytes" in self.plan
        self.transport.write(handshake("" if echo else Encoding.MSGPACK.subprotocol))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.load.stopping:
            self.load.fail(f"a connection was lost: {exc!r}")

    def say(self, message: ClientMessage) -> None:
        """Send a message."""
        frame = encode(message, Encoding.MSGPACK)
        assert isinstance(frame, bytes)
        self.transport.write(client_frame(frame))

    def data_received(self, data: bytes) -> None:
        if self.rest:
            data, self.rest = self.rest + data, b""
        at = 0
        if not self.upgraded:
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:
                self.rest = data
                return
            self._open(data[:at])
        out: list[bytes] = []
        size = len(data)
        while at < size:
            start, end = server_frame_end(data, at)
            if end < 0 or end > size:
                break
            opcode = data[at] & 15
            if opcode < CLOSE:
                self.load.message(self, data, start, end, out)
            else:
                self._control(opcode, data[start:end])
            at = end
        self.rest = data[at:]
        if out:
            self.transport.write(b"".join(out))

    def _open(self, head: bytes) -> None:
        if b" 101 " not in head:
            self.load.fail(head.decode("latin-1"))
        self.upgraded = True
        if "name" in self.plan:
            matches = self.plan["matches"]
            self.say(Hello(name=self.plan["name"], token=self.plan["token"], max_matches=matches, client="load"))
        else:
            self.ready.set_result(None)

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            self.transport.write(client_frame(payload, PONG))
        elif opcode == CLOSE:
            self.load.fail(f"the server closed a connection: {payload[2:].decode(errors='replace')}")


class Load:
    """All players, the messages received, and when turns are answered.

    pace_s: the mean time before a turn is answered; 0: at once.  held: answers kept while the load is held.
    """

    def __init__(self) -> None:
        self.players: list[Player] = []
        self.samples = Samples()
        self.stopping = False
        self.holding = True
        self.held: list[tuple[Player, bytes]] = []
        self.pace_s = 0.0
        self.due: dict[int, list[tuple[Player, bytes]]] = {}
        self.late_ticks = 0  # by how much the latest of these answers were sent too late
        self.echoed = self.turns = self.started = self.ended = self.seen = 0
        self.turn_bytes = self.move_bytes = 0
        self.stride = 0
        self.failed: str | None = None
        self.changed = asyncio.Event()
        self.random = random.Random(1).random
        self.loop = asyncio.get_running_loop()

    def fail(self, why: str) -> None:
        """Note an error that makes the measurement useless."""
        self.failed = self.failed or why
        self.changed.set()

    # --- what is heard ---

    def message(self, player: Player, data: bytes, start: int, end: int, out: list[bytes]) -> None:
        """Handle one binary message; an immediate answer goes to `out`."""
        if "echo_bytes" in player.plan:
            self.echoed += 1
            if self.holding:
                self.held.append((player, player.plan["frame"]))
            else:
                out.append(player.plan["frame"])
            return
        match_at = is_turn(data, start)
        if not match_at:
            self._other(player, data[start:end])
            return
        self.turns += 1
        self.turn_bytes += end - start
        match, ply, move, frame = answer(data, match_at, end, self.stride, self.random())
        self.move_bytes += len(frame)
        if self.turns % EVERY_TURN == 1 and len(self.samples.turns) < MOST_TURNS:
            self.samples.turns.append(data[start:end])
        number = as_int(match)
        if number % EVERY_MATCH == 0:
            self.samples.take(number, as_int(ply), move)
        if self.holding:
            self.held.append((player, frame))
        elif self.pace_s:
            self._later(player, frame)
        else:
            out.append(frame)

    def _later(self, player: Player, frame: bytes, more_s: float = 0.0) -> None:
        wait_s = self.pace_s * (0.5 + self.random()) + more_s
        self.due.setdefault(int((self.loop.time() + wait_s) / TICK_S), []).append((player, frame))

    def _other(self, player: Player, frame: bytes) -> None:
        message = decode_server(frame, Encoding.MSGPACK)
        if isinstance(message, Welcome):
            player.ready.set_result(None)
        elif isinstance(message, MatchStarted):
            self.started += 1
            self.changed.set()
        elif isinstance(message, MatchEnded):
            self.ended += 1
        elif isinstance(message, Watching):
            self.seen += 1
        elif isinstance(message, Refused):
            self.fail(f"refused: {message.message}")

    # --- what is done ---

    async def connect(self, order: dict[str, Any]) -> None:
        """Open a connection for each of `order["players"]`, and wait until all are welcome."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(plan: dict[str, Any]) -> None:
            if "echo_bytes" in plan:
                plan["frame"] = client_frame(bytes(plan["echo_bytes"]))
            async with gate:
                _, player = await self.loop.create_connection(lambda: Player(self, plan), "127.0.0.1", order["port"])
                self.players.append(player)
                await player.ready

        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(one(plan) for plan in order["players"]))

    async def seek(self, order: dict[str, Any]) -> None:
        """Let every bot challenge the opponent of its plan; returns when the ordered number of matches runs."""
        self.stride = order["stride"]
        before = self.started
        for player in self.players:
            if player.plan.get("opponent"):
                player.say(Seek(game=order["game"], time=order["time"], opponent=player.plan["opponent"]))
        async with asyncio.timeout(PATIENCE_S):
            while self.started - before < 2 * order["matches"] and self.failed is None:
                self.changed.clear()
                await self.changed.wait()

    async def echo(self, order: dict[str, Any]) -> None:
        """Keep the ordered number of frames under way on each connection from now on."""
        for player in self.players:
            self.held += [(player, player.plan["frame"])] * order["in_flight"]

    async def watch(self, order: dict[str, Any]) -> None:
        """Let idle connections watch a match; the first `stuck` of them stop reading."""
        watchers = [player for player in self.players if "watches" in player.plan]
        for number, player in enumerate(watchers):
            player.say(Watch(match=order["match"]))
            if number < order["stuck"]:
                player.transport.pause_reading()

    async def run(self, order: dict[str, Any]) -> dict[str, Any]:
        """Go on for `seconds` after `warm_s`, then hold; returns the counts of that time.

        rate: turns a second that are to be answered, of `matches` that run; 0: all at once.  spread_s: with a rate, the
        matches begin over so many seconds, each at a moment of its own.
        """
        rate = order.get("rate", 0)
        self.pace_s, self.holding = order["matches"] / rate if rate else 0.0, False
        held, self.held, spread_s = self.held, [], order.get("spread_s", 0.0)
        for player, frame in held:
            if self.pace_s:
                self._later(player, frame, spread_s * self.random())
            else:
                player.transport.write(frame)
        ticking = asyncio.ensure_future(self._tick(rate, self.loop.time() + spread_s))
        await asyncio.sleep(order["warm_s"])
        served = psutil.Process(order["pid"])
        began, wall_began, before, self.late_ticks = time.perf_counter(), time.time(), self._counts(served), 0
        await asyncio.sleep(order["seconds"])
        after, took_s, wall_ended = self._counts(served), time.perf_counter() - began, time.time()
        late_s = self.late_ticks * TICK_S
        self.holding = True
        ticking.cancel()
        for answers in self.due.values():
            self.held += answers
        self.due.clear()
        await asyncio.sleep(0.3)
        counted = {name: after[name] - before[name] for name in after}
        counted["moves"] = counted["turns"] + (counted["ended"] - counted["started"]) / 2
        return {"took_s": took_s, "from": wall_began, "until": wall_ended, "late_s": late_s} | counted

    def _counts(self, served: psutil.Process) -> dict[str, float]:
        own, theirs = resource.getrusage(resource.RUSAGE_SELF), served.cpu_times()
        return {
            "turns": self.turns,
            "started": self.started,
            "ended": self.ended,
            "seen": self.seen,
            "echoed": self.echoed,
            "turn_bytes": self.turn_bytes,
            "move_bytes": self.move_bytes,
            "load_cpu_s": own.ru_utime + own.ru_stime,
            "server_cpu_s": theirs.user + theirs.system,
        }

    async def _tick(self, rate: float, all_run_s: float) -> None:
        """Send what is due, many answers of one connection together, and keep to the rate once all matches run."""
        done = int(self.loop.time() / TICK_S)
        looked_s, turns = self.loop.time(), self.turns
        while True:
            await asyncio.sleep(TICK_S)
            now = int(self.loop.time() / TICK_S)
            self.late_ticks = max(self.late_ticks, now - done - 1)
            for tick in range(done, now):
                for player, frame in self.due.pop(tick, ()):
                    player.transport.write(frame)
            done = now
            passed_s = self.loop.time() - looked_s
            if self.loop.time() < all_run_s:
                looked_s, turns = self.loop.time(), self.turns
            elif rate and passed_s > max(POLL_S, 2 * self.pace_s):
                self.pace_s *= min(1.25, max(0.5, (self.turns - turns) / passed_s / rate))
                looked_s, turns = self.loop.time(), self.turns

    async def check(self, order: dict[str, Any]) -> dict[str, Any]:
        """Check the samples; return the sent moves of sampled matches, to be compared with the stored ones."""
        return {"checked": self.samples.check(), "wrong": self.samples.wrong[:5], "sent": self.samples.sent}


async def obey() -> None:
    """Carry out one order after another until the input ends."""
    load = Load()
    orders = {name: getattr(load, name) for name in ("connect", "seek", "echo", "watch", "run", "check")}
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        try:
            answer = await orders[order["do"]](order)
        except (OSError, TimeoutError) as error:
            load.fail(f"{order['do']}: {type(error).__name__} {error}")
            answer = None
        print(json.dumps({"failed": load.failed} | (answer or {})), flush=True)
    load.stopping = True


def main() -> None:
    allow_many_files()
    gc.freeze()
    gc.set_threshold(100_000, 50, 1_000)
    run_loop(obey())


if __name__ == "__main__":
    main()
