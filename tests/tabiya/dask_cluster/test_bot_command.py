"""`tabiya bot --pool`: a whole match that is thought for by a worker of Dask, and what is refused."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from scripts.long_runs.harness.dask_cluster import DaskCluster
from tests.live import live_server
from tests.source_rules.sources import ROOT
from tests.tabiya.cli.command_runner import tabiya

# The parent of the process that it thinks in is written down with every move.
SOURCE = """
import os
from pathlib import Path
from tabiya import Bot

class Mine(Bot):
    def choose(self, turn):
        Path({told!r}).write_text(str(os.getppid()))
        return turn.legal_moves[0]
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_bot_of_a_file_plays_a_match_with_its_thoughts_on_the_cluster(tmp_path: Path) -> None:
    reported, file = tmp_path / "told", tmp_path / "mine.py"
    file.write_text(SOURCE.format(told=str(reported)))
    with DaskCluster(tmp_path / "cluster", workers=1) as cluster:
        cluster.wait_for_workers()
        async with live_server() as server:
            common = ("-g", "nim", "-n", "1", "--server", server.websocket_url)
            players = (f"{file}:Mine", "--pool", cluster.address), ("random",)
            command = (sys.executable, "-m", "tabiya", "bot")
            bots = [await asyncio.create_subprocess_exec(*command, *words, *common, cwd=ROOT) for words in players]
            assert [await bot.wait() for bot in bots] == [0, 0]
        assert int(reported.read_text()) == cluster.workers[0].pid


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("random", "--pool", "4"), "--pool is the scheduler of a Dask cluster as dask://HOST:PORT, not '4'"),
        (("program:./bot", "--pool", "dask://h:1"), "--pool is for players in our worker processes"),
        (("random", "--pool", "dask://h:1", "--sandbox", "auto"), "--sandbox is for processes on this machine only"),
    ],
)
def test_what_cannot_think_there_is_refused(words: tuple[str, ...], sentence: str) -> None:
    assert tabiya("bot", *words).sentence.startswith(sentence)
