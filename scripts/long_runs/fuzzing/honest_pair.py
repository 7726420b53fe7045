"""Two bots that behave and play each other: `python -m scripts.long_runs.fuzzing.honest_pair URL --seconds 60`.

Each turn must show the board that their moves lead to, each match must end as the rules say. On standard output: one
JSON line with what they have seen. A process of its own, so that its figures are not those of anyone who disturbs the
server meanwhile. Ends after the time, on SIGTERM, or at the first thing that is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import statistics
import sys
from collections.abc import Sequence
from random import Random
from typing import Any

from websockets.asyncio.client import ClientConnection

from scripts.long_runs.checks.lost_on_time import LoopLag
from scripts.long_runs.fuzzing.mutations import HONEST
from scripts.long_runs.harness.random_bots import BotBehaviour, Notes, RandomBot
from tabiya.games.endings import BY_RULES
from tabiya.games.registry import names
from tabiya.processes.server_process import warm_rules
from tabiya.protocol.codec import Encoding
from tabiya.protocol.messages import (
    Challenged,
    ChallengeEnded,
    MatchEnded,
    Move,
    Refused,
    Seek,
    ServerMessage,
    Turn,
    Welcome,
)

PAUSE_S = 0.03  # between turn and move: the pair is there to be disturbed, not to load the server
CLOCK = "10+1"
PATIENCE_S = 60.0


class HonestBot(RandomBot):
    """One of the two: it plays only the other, in every game at once, and every game to its end by the rules."""

    def __init__(self, number: int, notes: Notes, draw: Random) -> None:
        behaviour = BotBehaviour(
            name=HONEST[number],
            encoding=tuple(Encoding)[number],
            games=(),
            max_matches=len(names()),
            think_s=PAUSE_S,
        )
        super().__init__(behaviour, notes, draw)
        self._opponent = HONEST[1 - number]
        self._last_message_at = 0.0

    def _hear(self, message: ServerMessage) -> None:
        self._last_message_at = asyncio.get_running_loop().time()
        match message:
            case Challenged() | ChallengeEnded():
                return  # by another bot; it lapses
            case Turn() if message.match not in self.notes.boards:
                self.notes.fault(self.behaviour.name, f"a turn of match {message.match}, which has not begun")
            case MatchEnded() if message.ending not in BY_RULES:
                self.notes.fault(self.behaviour.name, f"match {message.match} ended by {message.ending}")
            case Refused():
                self.notes.fault(self.behaviour.name, f"refused {message.code}: {message.message}")
        super()._hear(message)
        if isinstance(message, Welcome):
            for game in names():
                self._say(Seek(game=game, time=CLOCK, opponent=self._opponent, rated=False))

    def _answer_later(self, turn: Turn, move: str) -> None:
        """After a moment; it neither resigns nor offers draws."""
        answer = Move(match=turn.match, ply=turn.ply, move=move)
        self._thinking[turn.match] = asyncio.get_running_loop().call_later(PAUSE_S, self._say, answer)

    async def _misbehave(self, socket: ClientConnection) -> None:
        """Note a fault if the server says nothing for too long; an honest bot does nothing else."""
        loop = asyncio.get_running_loop()
        self._last_message_at = loop.time()
        while (left_s := self._last_message_at + PATIENCE_S - loop.time()) > 0:  # noqa: ASYNC110  (time passes, no event)
            await asyncio.sleep(left_s)
        self.notes.fault(self.behaviour.name, f"nothing was said to it for {PATIENCE_S:.0f} s")


async def play(url: str, seconds: float, seed: int) -> dict[str, Any]:
    """Play; returns what both have seen, `wrong` is empty if all was well."""
    notes = Notes(most_faults=1)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, notes.failed.set)
    bots = [HonestBot(number, notes, Random(seed + number)) for number in range(2)]
    tasks = [asyncio.ensure_future(work) for work in (*(bot.run(url) for bot in bots), notes.failed.wait())]
    async with LoopLag() as lag:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    times = notes.latencies_ms
    return {
        "wrong": notes.faults,
        "moves": len(times),
        "matches_ended": sum(notes.endings.values()),
        "p50_ms": _quantile(times, 500),
        "p99_ms": _quantile(times, 990),
        "most_ms": round(max(times, default=0.0), 1),
        "woken_late_p99_ms": _quantile(lag.late_ms, 990),
    }


def _quantile(times_ms: Sequence[float], thousandth: int) -> float:
    return round(statistics.quantiles(times_ms, n=1000)[thousandth - 1], 2) if len(times_ms) > 1 else 0.0


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--seconds", type=float, default=3_600.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    warm_rules()
    sys.stdout.write(json.dumps(asyncio.run(play(chosen.url, chosen.seconds, chosen.seed))) + "\n")


if __name__ == "__main__":
    main()
