"""How long a Swiss round takes to pair, and how late the event loop is meanwhile.

    python -m benchmarks.swiss [--bots 200] [--rounds 9] [--seed 1] [--thread]

Plays the rounds by chance, in no time; each is paired in a process of its own, as on a server, while the event loop
asks itself every millisecond how late it is. That lateness is never charged to a bot (docs/reference/clock.md).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from random import Random

from msgspec.structs import replace

from tabiya.server.pairing import FORMATS, Plan
from tabiya.server.pairing.state import Mark, PairingState
from tabiya.server.tournaments.pairing_process import PairingExecutor


def played(state: PairingState, strength: list[float], draw: Random) -> PairingState:
    """Every pending game with a result."""
    marks = list(state.marks)
    for number in range(len(marks)):
        if marks[number] == Mark.PENDING:
            meeting = state.meetings[number // 2]
            first, second = (meeting.first, meeting.second)[:: -1 if number % 2 else 1]
            won = draw.random() < 1 / (1 + 10 ** (strength[second] - strength[first]))
            marks[number] = Mark.DRAWN if draw.random() < 0.2 else Mark.FIRST_WON if won else Mark.SECOND_WON
    return replace(state, marks="".join(marks))


def processor_s() -> float:
    """Processor time of this process and the ended children."""
    return sum(os.times()[:4])


async def late_ms(stop: asyncio.Event) -> float:
    """The greatest lateness of the event loop until `stop`."""
    worst = 0.0
    while not stop.is_set():
        began = time.perf_counter()
        await asyncio.sleep(0.001)
        worst = max(worst, 1000 * (time.perf_counter() - began) - 1)
    return worst


async def measure(bots: int, rounds: int, seed: int, thread: bool) -> None:
    """One tournament; a line a round."""
    form, plan, draw = FORMATS["swiss"], Plan(entrants=bots, rounds=rounds), Random(seed)
    strength = [draw.gauss(0, 1) for _ in range(bots)]
    state = form.begin(plan)
    print(f"{bots} bots, {rounds} rounds, seed {seed}\nround   s wall   s processor   event loop late by at most")
    while form.can_advance(plan, state):
        stop = asyncio.Event()
        watching = asyncio.ensure_future(late_ms(stop))
        began, processor = time.perf_counter(), processor_s()
        state = await (
            asyncio.to_thread(form.advance, plan, state) if thread else PairingExecutor().advance(form, plan, state)
        )
        took, used = time.perf_counter() - began, processor_s() - processor
        stop.set()
        print(f"{state.rounds_paired:5}   {took:6.2f}   {used:11.2f}   {await watching:6.1f} ms")
        state = played(state, strength, draw)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--thread", action="store_true", help="pair in a thread of this process instead")
    given = parser.parse_args()
    asyncio.run(measure(given.bots, given.rounds, given.seed, given.thread))


if __name__ == "__main__":
    main()
