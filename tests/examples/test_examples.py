"""The examples run as they stand, against a real server, and play every game to its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

import tabiya
from tabiya import Bot, Summary, Turn, run_async
from tabiya.bots.client.events import silent
from tabiya.games.registry import names
from tests.live import live_server

pytestmark = pytest.mark.slow

ROOT = Path(tabiya.__file__).parent.parent
EXAMPLES = ROOT / "examples"


class Lot(Bot):
    """Any legal move."""

    needs_rules = False

    async def choose(self, turn: Turn) -> str:
        return Random(turn.ply).choice(turn.legal_moves)


@contextlib.asynccontextmanager
async def example(name: str, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """An example as a process, as its reader would start it; killed in the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(EXAMPLES / name),
        *arguments,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def opponent(url: str, game: str) -> Summary:
    """One match against anyone who seeks the game."""
    return await asyncio.wait_for(run_async(Lot(), url, seek=game, matches=1, listener=silent), 100)


async def test_a_bot_of_forty_lines_without_our_library_plays_every_game_and_blocks_while_it_thinks() -> None:
    assert len((EXAMPLES / "plain_websockets_bot.py").read_text("utf-8").splitlines()) <= 40
    async with live_server() as server, example("plain_websockets_bot.py", server.websocket_url, "plain") as process:
        assert process.stdout is not None
        for game in names():
            assert (await opponent(server.websocket_url, game)).without_score == 0
            output = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
            assert f", {game}: " in output


async def test_a_bot_of_ten_lines_with_our_library_plays_every_game() -> None:
    """A process for each game, all at once: most of this is the start of Python."""
    lines = (EXAMPLES / "ten_line_bot.py").read_text("utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 10
    async with live_server() as server, contextlib.AsyncExitStack() as running:
        address = f"ws://localhost:{server.port}"
        bots = [await running.enter_async_context(example("ten_line_bot.py", address, game)) for game in names()]
        for game in names():
            assert (await opponent(server.websocket_url, game)).without_score == 0
        assert {bot.returncode for bot in bots} == {None}
