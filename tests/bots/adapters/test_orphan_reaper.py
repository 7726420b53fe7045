"""What a killed process has started does not run on without it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

from tabiya.bots.adapters.engine_process import EngineProcess
from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tests.processes import is_running
from tests.source_rules.sources import ROOT
from tests.waiting import WITHIN_S

pytestmark = pytest.mark.slow

DEAF = "import time; print('up', flush=True); time.sleep(60)"  # hears neither quit nor the end of its input
OWNER = f"""
import asyncio, sys
from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tabiya.bots.adapters.engine_process import EngineProcess

async def main():
    reaper = OrphanReaper()
    deaf = (sys.executable, "-c", {DEAF!r})
    up = asyncio.Event()
    kept = await EngineProcess.start(deaf, lambda line: up.set(), print, reaper)
    ended = await EngineProcess.start(deaf, print, print, reaper)
    await up.wait()
    await ended.kill()
    print(kept.pid, flush=True)
    if sys.argv[1] == "tidy":
        await kept.kill()
        reaper.close()
        return
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("end", ["killed", "tidy"])
def test_a_program_ends_with_its_owner_however_that_ends(end: str) -> None:
    words = [sys.executable, "-c", OWNER, end]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(next(line for line in owner.stdout if line.strip().isdecimal()))
        if end == "killed":
            owner.kill()
        owner.wait()
        until = time.monotonic() + 20
        while is_running(pid) and time.monotonic() < until:
            time.sleep(0.01)
        assert not is_running(pid)
        assert owner.returncode == (-9 if end == "killed" else 0)


async def test_a_reaper_that_cannot_be_started_keeps_no_program_from_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    words = (sys.executable, "-c", "print('up', flush=True)")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    lines: asyncio.Queue[str] = asyncio.Queue()
    program = await EngineProcess.start(words, lines.put_nowait, print, OrphanReaper())
    assert await asyncio.wait_for(lines.get(), WITHIN_S) == "up"
    await program.kill()
