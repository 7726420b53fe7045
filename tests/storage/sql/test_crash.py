"""A process killed while it saves: what it was told is saved is there afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tabiya.storage import open_store
from tabiya.storage.records import MatchId
from tabiya.storage.store import Store
from tests.storage.samples import move

ROOT = Path(__file__).parents[3]

# Plays plies in ten matches as fast as it is answered, and says each one that was acknowledged.
WRITER = """
import asyncio, sys
from tabiya.storage import open_store
from tabiya.storage.writes import AppendMove
from tests.storage.samples import move, new_match, two_bots

async def main():
    store = await open_store(sys.argv[1], exclusive=True)
    bots = await two_bots(store)

    def play(match_id, ply):
        def done(error):
            assert error is None, error
            sys.stdout.write(f"{match_id} {ply}\\n")
            sys.stdout.flush()
            play(match_id, ply + 1)
        store.submit(AppendMove(move(match_id, ply)), done)

    for number in range(10):
        play(await store.create_match(new_match(bots, f"m{number}")), 2)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def acknowledged_before_the_kill(url: str, lines: int) -> dict[MatchId, int]:
    """Kill a writer after so many acknowledged moves; match -> last ply that it was told is saved."""
    last: dict[MatchId, int] = {}
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, url], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(lines):
            note(last, process.stdout.readline())
        process.kill()
        for line in process.stdout:
            note(last, line)
    return last


def note(last: dict[MatchId, int], line: str) -> None:
    if line.endswith("\n"):
        match_id, ply = map(int, line.split())
        last[MatchId(match_id)] = ply


async def assert_nothing_was_lost(store: Store, last: dict[MatchId, int]) -> None:
    found = await store.unfinished_matches()
    assert found.damaged == ()
    assert len(found.matches) == len(last) == 10
    for unfinished in found.matches:
        plies = [made.ply for made in unfinished.moves]
        assert plies == list(range(len(plies)))
        # a move may be saved and its answer lost with the process, but never the other way round; and only one is away
        assert last[unfinished.match.id] <= plies[-1] <= last[unfinished.match.id] + 1
        assert unfinished.moves[2:] == tuple(move(unfinished.match.id, ply) for ply in plies[2:])


@pytest.mark.slow
async def test_what_was_acknowledged_before_kill_9_is_there(database: str) -> None:
    last = acknowledged_before_the_kill(database, 500)
    # the dead process holds no lock
    store = await open_store(database, exclusive=True)
    try:
        await assert_nothing_was_lost(store, last)
        assert await store.check() == []
    finally:
        await store.close()
