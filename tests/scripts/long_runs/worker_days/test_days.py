"""A day with workers that vanish keeps its rules, is the same again, and finds faults that are put in on purpose."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.long_runs.simulation.by_seeds import Outcome
from scripts.long_runs.worker_days import __main__ as command
from scripts.long_runs.worker_days.day import run_day
from scripts.long_runs.worker_days.planted_bugs import PLANTED

ROOT = Path(__file__).parents[4]
DIGEST = "from scripts.long_runs.worker_days.day import run_day; print(run_day(2).trace.digest())"
DAYS = 40
FOUND_BY = {"no-fence": 1, "two-transactions": 1, "dead-heartbeat": 1, "late-usage": 1}


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run_day(2)


@pytest.mark.slow
def test_a_day_has_workers_that_vanish_late_reports_and_restarts_and_breaks_no_rule(outcome: Outcome) -> None:
    assert outcome.faults == ()
    for what, at_least in {
        "leases": 300,
        "leases that ran out": 20,
        "too late or doubled": 20,
        "workers killed": 10,
        "servers": 2,
        "good counted": 5,
        "failed counted": 3,
    }.items():
        assert outcome.figures[what] >= at_least, what


@pytest.mark.slow
def test_the_same_day_takes_the_same_steps_in_another_process_with_other_hashes(outcome: Outcome) -> None:
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    result = subprocess.run(
        [sys.executable, "-c", DIGEST], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == outcome.trace.digest()


def test_every_planted_fault_is_looked_for() -> None:
    assert FOUND_BY.keys() == PLANTED.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_planted_fault_is_found_within_forty_days(name: str) -> None:
    """The search begins at a day that found it when this was written, and goes on if the code has changed since."""
    first = FOUND_BY[name]
    days = itertools.chain(range(first, DAYS + 1), range(1, first))
    with PLANTED[name]():
        assert any(run_day(seed).faults for seed in days)


@pytest.mark.slow
def test_a_day_that_fails_tells_how_to_see_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    again = ["--days", "1", "--first", "1", "--planted", "no-fence"]
    monkeypatch.setattr(sys, "argv", ["worker_days", *again])
    assert command.main() == 1
    output = capsys.readouterr().out
    assert "day 1 fails:" in output
    assert "again: python -m scripts.long_runs.worker_days --days 1 --first 1 --trace --planted no-fence" in output
