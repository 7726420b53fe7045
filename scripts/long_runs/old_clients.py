"""Programs of an older version play on today's server, unchanged: its client library, examples, and the tests' bots.

python -m scripts.long_runs.old_clients                       # as they were in the days of 0.1.0
python -m scripts.long_runs.old_clients --revision v1.0.0     # as at another tag or commit

The files of then come from the repository's history, so this needs a clone that has it. Each program plays each game;
the run fails (exit code 1) if one of them ends with an error or too late, or a match ends otherwise than by the rules.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

from scripts.long_runs.harness.run_folder import run_folder
from tabiya.games.endings import BY_RULES
from tabiya.games.registry import names
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.storage.records import MatchFilter

ROOT = Path(__file__).parents[2]
REVISION = "79d3dabe1a48"
WITHIN_S = 300.0
WITH_THE_LIBRARY = """\
from random import choice

from tabiya import Bot


class Chance(Bot):
    needs_rules = False

    def choose(self, turn):
        return choice(turn.legal_moves)
"""
OF_THE_TESTS = """\
import asyncio
import sys

from protocol.codec import Encoding
from protocol.messages import MatchStarted, Seek, Unseek
from tests.live import welcomed


async def play(url, encoding, *games):
    for game in games:
        async with welcomed(url, "test-" + encoding, Encoding(encoding)) as bot:
            await bot.say(Seek(game=game))
            await bot.hears(MatchStarted)
            await bot.say(Unseek(game=game))
            print(await bot.plays())


asyncio.run(play(*sys.argv[1:]))
"""


def unpack(revision: str, folder: Path) -> None:
    """The files of a revision. Raises CalledProcessError where the history does not have it."""
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "xf", "-"], cwd=folder, input=archive, check=True)
    (folder / "with_the_library.py").write_text(WITH_THE_LIBRARY, "utf-8")
    (folder / "of_the_tests.py").write_text(OF_THE_TESTS, "utf-8")


@contextlib.asynccontextmanager
async def started(folder: Path, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """An old program, stopped afterwards."""
    program = await asyncio.create_subprocess_exec(
        sys.executable, *words, cwd=folder, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield program
    finally:
        with contextlib.suppress(ProcessLookupError):
            program.kill()
        await program.wait()


async def fault_of(name: str, program: asyncio.subprocess.Process) -> str:
    """The fault of a program that ends by itself; empty if there is none."""
    try:
        output = (await asyncio.wait_for(program.communicate(), WITHIN_S))[1].decode()
    except TimeoutError:
        return f"{name} had not played all games after {WITHIN_S:.0f} s"
    return f"{name} ended with {program.returncode}: {output}" if program.returncode else ""


async def play(folder: Path) -> tuple[list[str], Counter[tuple[str, str]]]:
    """The faults, and the number of games by ending. folder: with the old files."""
    games = names()
    server = TabiyaServer(ServerConfig(port=0, pages_port=0, database_url="memory:"))
    await server.start()
    url = server.websocket_url
    seeks = [word for game in games for word in ("--game", game)]
    ending = {
        "the library": (
            "-m",
            "tabiya",
            "bot",
            "with_the_library.py:Chance",
            "--server",
            url,
            *seeks,
            "--matches",
            "20",
        ),
        "the tests' bot (JSON)": ("-m", "of_the_tests", url, "json", *games),
        "the tests' bot (MessagePack)": ("-m", "of_the_tests", url, "msgpack", *games),
    }
    try:
        async with contextlib.AsyncExitStack() as on:
            for example in ("examples/python/bot.py", "examples/plain_websockets_bot.py"):  # they play without end
                await on.enter_async_context(started(folder, example, url, Path(example).stem))
            running = [(name, await on.enter_async_context(started(folder, *words))) for name, words in ending.items()]
            faults = await asyncio.gather(*(fault_of(name, program) for name, program in running))
            ended = await server.store.list_matches(MatchFilter(status="ended", limit=1_000))
        return list(filter(None, faults)), Counter((match.game, match.result.ending) for match in ended if match.result)
    finally:
        await server.stop()


def main() -> int:
    """Exit status: 0, or 1 if something went wrong."""
    parser = argparse.ArgumentParser(description="Let programs of an older version play on today's server.")
    parser.add_argument("--revision", default=REVISION, help="their tag or commit")
    with run_folder(None) as folder:
        unpack(parser.parse_args().revision, folder)
        faults, endings = asyncio.run(play(folder))
    for (game, ending), count in sorted(endings.items()):
        print(f"{game:12} {ending:24} {count:4}")
    faults += [
        f"{game}: {count} ended by {ending}" for (game, ending), count in endings.items() if ending not in BY_RULES
    ]
    faults += [f"nobody has played {game}" for game in names() if game not in {game for game, _ in endings}]
    print(*faults, sep="\n", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
