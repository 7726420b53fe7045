"""What a killed process has started does not run on without it."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.house.sources import ROOT
from tests.processes import is_running

pytestmark = pytest.mark.slow

OWNER = """
import asyncio, sys
from bots.adapters.guard import Guard
from bots.adapters.loop_program import LoopProgram

async def main():
    guard = Guard()
    deaf = "import time; print('up', flush=True); time.sleep(60)"  # hears neither quit nor the end of its input
    up = asyncio.Event()
    kept = await LoopProgram.start((sys.executable, "-c", deaf), lambda line: up.set(), print, guard)
    ended = await LoopProgram.start((sys.executable, "-c", deaf), print, print, guard)
    await up.wait()
    await ended.kill()
    print(kept.pid, flush=True)
    if sys.argv[1] == "tidy":
        await kept.kill()
        guard.close()
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
