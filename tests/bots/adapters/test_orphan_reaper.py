"""What a killed process has started does not run on without it."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tabiya.bots.adapters.program import Program
from tests.house.sources import ROOT
from tests.processes import is_running

pytestmark = pytest.mark.slow

DEAF = "import time; print('up', flush=True); time.sleep(60)"  # hears neither quit nor the end of its input
LOOP = f"""
import asyncio, sys
from tabiya.bots.adapters.orphan_reaper import Guard
from tabiya.bots.adapters.async_program import LoopProgram

async def main():
    guard = Guard()
    deaf = (sys.executable, "-c", {DEAF!r})
    up = asyncio.Event()
    kept = await LoopProgram.start(deaf, lambda line: up.set(), print, guard)
    ended = await LoopProgram.start(deaf, print, print, guard)
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
THREAD = f"""
import sys, time
from tabiya.bots.adapters.program import Program

kept = Program((sys.executable, "-c", {DEAF!r}))
kept.read(time.monotonic() + 60)
print(kept.pid, flush=True)
if sys.argv[1] == "tidy":
    kept.kill()
else:
    time.sleep(60)
"""


@pytest.mark.parametrize("end", ["killed", "tidy"])
@pytest.mark.parametrize("owner_text", [LOOP, THREAD], ids=["loop", "thread"])
def test_a_program_ends_with_its_owner_however_that_ends(owner_text: str, end: str) -> None:
    words = [sys.executable, "-c", owner_text, end]
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


def test_a_guard_that_cannot_be_started_keeps_no_program_from_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    words = (sys.executable, "-c", "print('up', flush=True)")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    program = Program(words)
    assert program.read(time.monotonic() + 60) == "up"
    program.kill()
