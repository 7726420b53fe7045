"""What a program and all that it starts use, looked at from outside."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from tabiya.classroom.record import ResourceUsage
from tabiya.processes import usage as usage_module
from tabiya.processes.usage import Meter, all_children, watched

BUSY = "import time; end = time.process_time() + {seconds}\nwhile time.process_time() < end: pass\n"
HUNGRY = "kept = bytearray(60 << 20); print('there', flush=True); input()"
PARENT = f"""import subprocess, sys
subprocess.run([sys.executable, "-c", {BUSY.format(seconds=0.3)!r}])
print("over", flush=True)
kept = bytearray(50 << 20)
child = subprocess.Popen([sys.executable, "-c", {HUNGRY!r}], stdin=subprocess.PIPE)
child.wait()
"""


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[str]]:
    """A program whose first child was busy and has ended, and whose second one has memory."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline().strip() for _ in range(2)] == ["over", "there"]
        yield process
        for child in psutil.Process(process.pid).children():
            child.kill()
        process.kill()


@pytest.mark.slow
def test_the_use_of_ended_children_counts_too(parent: subprocess.Popen[str]) -> None:
    usage = ResourceUsage()
    megabytes = Meter(usage).measure(parent.pid, all_children())
    assert usage.cpu_s >= 0.3
    assert 110 < megabytes < 400
    assert usage.peak_mb == pytest.approx(megabytes, abs=0.1)


@pytest.mark.slow
def test_another_start_is_added_and_what_has_ended_takes_nothing_away(parent: subprocess.Popen[str]) -> None:
    usage = ResourceUsage(cpu_s=100.0, peak_mb=1_000.0)
    meter = Meter(usage)
    meter.measure(parent.pid, all_children())
    first_s = usage.cpu_s
    assert first_s >= 100.3
    assert meter.measure(2**22 + 1, {}) == 0.0  # there is no such process
    assert (usage.cpu_s, usage.peak_mb) == (first_s, 1_000.0)
    meter.measure(parent.pid, all_children())
    assert usage.cpu_s >= first_s + 0.3


@pytest.mark.slow
async def test_a_program_is_looked_at_until_the_end_and_once_more(
    parent: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_module, "POLL_S", 60.0)  # what is seen is the first look or the last one
    usage, pids = ResourceUsage(), [None, parent.pid]
    async with watched(Meter(usage), lambda: pids[0]):
        await asyncio.sleep(0)
        assert usage.cpu_s == 0.0
        pids.pop(0)
    assert usage.cpu_s >= 0.3
