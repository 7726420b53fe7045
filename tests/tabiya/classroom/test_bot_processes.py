"""Submitted programs as processes: their limits, their crashes, their end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from tabiya.classroom import bot_processes
from tabiya.classroom.bot_processes import (
    CONNECT_TIMEOUT_S,
    RECONNECT_TIMEOUT_S,
    RESTART_AFTER_S,
    RESTARTS,
    BotProcess,
    BotProcesses,
    command_of,
    environment_of,
)
from tabiya.classroom.record import Entry, ResourceUsage, Rules
from tabiya.processes.programs import SECRETS
from tests.processes import is_running
from tests.waiting import WITHIN_S

PARENT = """if True:
    import os, subprocess, sys, time
    command = [sys.executable, "-m", "tabiya.processes.die_with_parent", str(os.getpid()), "sleep", "60"]
    child = subprocess.Popen(command)
    print(child.pid, flush=True)
    time.sleep(60)
"""
URL = "ws://127.0.0.1:1"


def rules() -> Rules:
    usual = Rules(
        game="nim", time_control="2/move", format="swiss", rounds=1, final=0, final_rounds=1, seed=0, sandbox="none"
    )
    return replace(usual, memory_mb=200, file_mb=1)


def entry(code: str = "", **values: object) -> Entry:
    """A program of a few lines of Python; it is given the address as its argument."""
    command = (sys.executable, "-c", code)
    return Entry(name="ada", source="ada", folder="submissions/001", command=command, **values)  # type: ignore[arg-type]


def program(tmp_path: Path, code: str) -> BotProcess:
    (tmp_path / "submissions" / "001").mkdir(parents=True)
    (tmp_path / "logs").mkdir()
    return BotProcess(entry(code), rules(), tmp_path, URL, ResourceUsage())


def until(is_so: Callable[[], object], look: Callable[[], object] = lambda: None) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not is_so():
        assert time.monotonic() < deadline
        look()
        time.sleep(0.02)


def test_a_command_line_gets_the_address_where_it_asks_for_it_or_last(tmp_path: Path) -> None:
    asked = Entry(name="ada", source="ada", folder="x", command=("bot", "--to={url}", "fast"))
    assert command_of(asked, rules(), tmp_path, URL)[-3:] == ("bot", f"--to={URL}", "fast")
    assert command_of(entry("pass"), rules(), tmp_path, URL)[-3:] == ("-c", "pass", URL)


def test_a_python_file_is_played_from_its_own_folder_under_its_digest(tmp_path: Path) -> None:
    file = Entry(name="ada", source="ada.py", folder="x", player="ada.py:Mine", digest="abc")
    words = command_of(file, rules(), tmp_path, URL)
    assert f"{tmp_path / 'ada.py'}:Mine" in words
    assert words[words.index("--bot-version") + 1] == "abc"
    assert "-P" in words  # no file beside it hides a package of ours
    ours = Entry(name="greedy", source="greedy", folder="x", player="pvs:6")
    assert "pvs:6" in command_of(ours, rules(), tmp_path, URL)


def test_a_program_is_told_its_own_account_and_none_of_our_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SECRETS:
        monkeypatch.setenv(name, "ours")
    found = environment_of(entry(token="its own"), URL)
    assert (found["TABIYA_TOKEN"], found["TABIYA_NAME"], found["TABIYA_SERVER"]) == ("its own", "ada", URL)
    assert "ours" not in found.values()
    assert "TABIYA_TOKEN" not in environment_of(entry())


def test_a_crash_is_noted_with_its_last_words_and_the_program_started_again_a_few_times(tmp_path: Path) -> None:
    crashing = program(tmp_path, "import sys; print('that was it'); sys.exit(3)")
    lines: list[str] = []
    crashing.start()
    for number in range(RESTARTS + 1):
        until(lambda: crashing._process is None, partial(crashing.check, number * RESTART_AFTER_S, lines.append))
        crashing.check((number + 1) * RESTART_AFTER_S, lines.append)
    assert crashing.gone
    assert crashing.usage.incidents == ["ended with exit status 3: that was it"] * (RESTARTS + 1)
    assert lines == ["ada ended with exit status 3: that was it; it is started again"] * RESTARTS + [
        "ada ended with exit status 3: that was it; it is not started again"
    ]


def test_a_program_that_takes_too_much_memory_is_ended_with_what_it_has_started(tmp_path: Path) -> None:
    hungry = "import time; x = bytearray(300 << 20); time.sleep(60)"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {hungry!r}]); time.sleep(60)"
    taking = program(tmp_path, code)
    taking.start()
    assert taking._process is not None
    family = psutil.Process(taking._process.pid)
    until(family.children)
    [child] = family.children()
    until(lambda: taking.usage.incidents, lambda: taking.check(0.0, lambda text: None))
    assert taking.usage.incidents[0].startswith("used more than 200 MB of memory: ")
    assert taking.usage.peak_mb >= 200  # rounded
    until(lambda: not is_running(child.pid))


@pytest.mark.skipif(os.name == "nt", reason="limits of files are POSIX; Windows has none of this kind")
def test_no_file_grows_beyond_its_limit(tmp_path: Path) -> None:
    filling = program(tmp_path, "open('big', 'wb').write(bytes(3 << 20))")
    filling.start()
    until(lambda: filling.usage.incidents, lambda: filling.check(0.0, lambda text: None))
    assert (tmp_path / "submissions" / "001" / "big").stat().st_size == 1 << 20


def test_all_are_ended_when_the_run_is_over(tmp_path: Path) -> None:
    waiting = program(tmp_path, "import time; time.sleep(60)")
    with BotProcesses([waiting], lambda text: None):
        waiting.start()
        assert waiting._process is not None
        process = psutil.Process(waiting._process.pid)
    assert not process.is_running()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_programs_that_hang_are_waited_for_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bot_processes, "STOP_S", 0.5)
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    programs = [program(tmp_path / str(number), deaf) for number in range(4)]
    with BotProcesses(programs, lambda text: None):
        for one in programs:
            one.start()
        until(lambda: all("deaf" in one.log.read_text() for one in programs))
        waited_s, stop = list[float](), BotProcess.stop

        def noted(one: BotProcess, wait_s: float, *more: Any) -> None:
            waited_s.append(wait_s)
            stop(one, wait_s, *more)

        monkeypatch.setattr(BotProcess, "stop", noted)
    assert len(waited_s) == 4
    assert sum(waited_s) <= 0.5  # each waits to the same moment


def test_programs_end_with_us_even_if_we_are_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    until(lambda: child.name() == "sleep")
    parent.kill()
    parent.communicate()
    until(lambda: not is_running(child.pid))


def several(tmp_path: Path, names: str) -> list[BotProcess]:
    """Programs that do nothing for a minute; each goes by one letter."""
    waiting = program(tmp_path, "import time; time.sleep(60)")
    return [BotProcess(replace(waiting.entry, name=name), rules(), tmp_path, URL, ResourceUsage()) for name in names]


def test_programs_are_started_in_their_order_one_for_each_free_core(tmp_path: Path) -> None:
    ada, bob, eve = several(tmp_path, "abe")
    with BotProcesses([ada, bob, eve], lambda text: None) as programs:
        programs.start_some(0)
        assert not ada.is_started
        programs.start_some(1)
        programs.start_some(1)
        assert (ada.is_started, bob.is_started) == (True, False)
        programs.check_all(lambda: "a")
        programs.start_some(1)
        programs.start_some(1)
        assert (bob.is_started, eve.is_started) == (True, False)
        assert not programs.have_come


def test_a_start_that_takes_long_does_not_keep_the_others_from_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = several(tmp_path, "ab")
    with BotProcesses([ada, bob], lambda text: None) as programs:
        programs.start_some(1)
        monkeypatch.setattr(bot_processes, "STARTING_S", 0.0)
        programs.start_some(1)
        assert bob.is_started


def test_absent_bots_are_not_waited_for(tmp_path: Path) -> None:
    ada, bob, eve = several(tmp_path, "abe")
    with BotProcesses([ada, bob, eve], lambda text: None) as programs:
        programs.start_some(2)
        now_s = time.monotonic()
        ada.seen(now_s)
        assert not ada.is_away(now_s + RECONNECT_TIMEOUT_S - 1)
        assert ada.is_away(now_s + RECONNECT_TIMEOUT_S + 1)
        assert not bob.is_away(now_s + CONNECT_TIMEOUT_S - 1)
        assert bob.is_away(now_s + CONNECT_TIMEOUT_S + 1)
        assert not eve.is_away(now_s + CONNECT_TIMEOUT_S + 1)  # nobody has started it
        assert programs.away == []
