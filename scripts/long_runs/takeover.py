"""Two servers that take over from one another on one PostgreSQL, killed or stopped in turn while bots play.

python -m scripts.long_runs.takeover --database postgresql://USER@HOST/EMPTY                  # 50 times, 1,000 matches
python -m scripts.long_runs.takeover --database … --acts 2 --bots 4 --at-once 2 --think 0.2   # short

Both run with `--standby`; the bots are our client with both addresses. At random the serving one is killed, or stopped
until the other one serves, and then woken up. It is told how long the matches were without a turn: until the first one
of all went on, and until all had. The run fails (exit code 1) if anything stored has a fault (`tabiya verify`), a
match was lost by anything but the rules, or a server that woke up did not end by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

from scripts.long_runs.checks.postconditions import as_sentence
from scripts.long_runs.harness.run_folder import run_folder
from scripts.long_runs.harness.standby_server import POLL_S, WITHIN_S, StandbyServer
from tabiya.bots.client.bot import Bot
from tabiya.bots.client.run import run_async
from tabiya.bots.client.turn import Turn
from tabiya.games.endings import BY_RULES
from tabiya.protocol.messages import MatchEnded
from tabiya.server.archive.verify import verify
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter

GAME, TIME = "reversi", "120+1"


class Player(Bot):
    """Plays any move after a while; last_turns_s: the time of the last turn, by match."""

    needs_rules = False

    def __init__(self, name: str, think_s: float) -> None:
        self.name, self._think_s = name, think_s
        self.last_turns_s: dict[int, float] = {}

    async def choose(self, turn: Turn) -> str:
        self.last_turns_s[turn.match] = time.monotonic()
        await asyncio.sleep(self._think_s)
        return turn.legal_moves[0]

    def match_ended(self, match: MatchEnded) -> None:
        self.last_turns_s.pop(match.match, None)


class Outage(NamedTuple):
    """The cost of one act. how: the signal.  serves_s: until the other one listened.

    first_s, last_s: until the first turn, and until the last match had one that its players had been asked for before.
    """

    how: str
    serves_s: float
    first_s: float
    last_s: float

    @property
    def text(self) -> str:
        """As a line."""
        times = f"served after {self.serves_s:.1f} s, first turn {self.first_s:.1f} s, all matches {self.last_s:.1f} s"
        return f"{self.how}: {times}"


async def act(serving: StandbyServer, other: StandbyServer, players: list[Player], number: signal.Signals) -> Outage:
    """One server goes, the other one takes over, the first one waits again."""
    before = [(player, match) for player in players for match in player.last_turns_s]
    began_s = time.monotonic()
    serving.process.send_signal(number)
    await other.until("serves")
    serves_s = time.monotonic()

    def has_gone_on(player: Player, match: int) -> bool:
        return player.last_turns_s.get(match, serves_s) > began_s + POLL_S

    async with asyncio.timeout(WITHIN_S):
        while not all(has_gone_on(*each) for each in before):  # noqa: ASYNC110 - its bots tell nobody
            await asyncio.sleep(POLL_S)
    last_s = time.monotonic()
    turns_s = [at for player in players for at in player.last_turns_s.values() if at > serves_s - 1]
    if number == signal.SIGSTOP:
        serving.process.send_signal(signal.SIGCONT)
    async with asyncio.timeout(WITHIN_S):
        status = await serving.process.wait()
    if number == signal.SIGSTOP and status != 1:
        raise SystemExit(f"a server that woke up has ended with {status}")
    await serving.begin()
    await serving.until("waits")
    return Outage(number.name, serves_s - began_s, min(turns_s, default=last_s) - began_s, last_s - began_s)


async def run(chosen: argparse.Namespace, folder: Path) -> int:
    """The whole run; the exit code."""
    draw = Random(chosen.seed)
    servers = [StandbyServer(folder, number, chosen.database) for number in (1, 2)]
    await servers[0].begin()
    await servers[0].until("serves")
    await servers[1].begin()
    await servers[1].until("waits")
    address = ",".join(server.pages for server in servers)
    players = [Player(f"Player {number}", chosen.think) for number in range(chosen.bots)]
    playing = [
        asyncio.create_task(
            run_async(player, address, seek=GAME, time=TIME, at_once=chosen.at_once, listener=lambda event: None)
        )
        for player in players
    ]
    outages: list[Outage] = []
    try:
        async with asyncio.timeout(WITHIN_S):
            while not all(player.last_turns_s for player in players):  # noqa: ASYNC110 - its bots tell nobody
                await asyncio.sleep(POLL_S)
        for done in range(chosen.acts):
            await asyncio.sleep(chosen.pause)
            number = draw.choice([signal.SIGKILL] if chosen.only_kills else [signal.SIGKILL, signal.SIGSTOP])
            outages.append(await act(servers[0], servers[1], players, number))
            servers.reverse()
            print(f"{done + 1:3}: {outages[-1].text}", flush=True)
            if over := [task for task in playing if task.done()]:
                raise SystemExit(f"{len(over)} bots play no more: {over[0].exception()}")
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        for server in servers:
            with contextlib.suppress(ProcessLookupError):
                server.process.send_signal(signal.SIGCONT)  # it may stand still, if something has failed
                server.process.terminate()
            await server.process.wait()
    store = await open_store(chosen.database, create=False)
    try:
        faults = [as_sentence(fault) for fault in (await verify(store)).faults]
        matches = await store.list_matches(MatchFilter(limit=1_000_000))
    finally:
        await store.close()
    endings = Counter(match.result.ending for match in matches if match.result)
    faults += [f"{count} matches ended by {end}" for end, count in endings.items() if end not in BY_RULES]
    print(f"{len(matches)} matches: " + ", ".join(f"{count} {end}" for end, count in endings.most_common()))
    print(summary(outages))
    print("\n".join(faults) or "no fault")
    return bool(faults)


def summary(outages: list[Outage]) -> str:
    """Of each kind the least, the median, what nineteen of twenty stay below, and the most, in seconds."""
    lines = []
    for how in sorted({outage.how for outage in outages}):
        found = [outage for outage in outages if outage.how == how]
        spread = []
        for name in ("serves_s", "first_s", "last_s"):
            times = sorted(getattr(outage, name) for outage in found)
            least, half, nearly_all = (times[len(times) * twentieth // 20] for twentieth in (0, 10, 19))
            spread.append(f"{name} {least:.1f}, {half:.1f}, {nearly_all:.1f}, {times[-1]:.1f}")
        lines.append(f"{how}, {len(found)} times: " + ", ".join(spread))
    return "\n".join(lines)


def main(words: list[str] | None = None) -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--database", required=True, help="an empty PostgreSQL")
    parser.add_argument("--acts", type=int, default=50, help="kills and stops")
    parser.add_argument("--bots", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=20, help="matches of each bot")
    parser.add_argument("--think", type=float, default=5.0, help="seconds for each move")
    parser.add_argument(
        "--pause", type=float, default=5.0, help="seconds between all matches going on and the next act"
    )
    parser.add_argument("--only-kills", action="store_true", help="stop none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for the logs; a temporary one if not given")
    chosen = parser.parse_args(words)
    print(f"seed {chosen.seed}")
    with run_folder(chosen.out) as folder:
        return asyncio.run(run(chosen, folder))


if __name__ == "__main__":
    sys.exit(main())
