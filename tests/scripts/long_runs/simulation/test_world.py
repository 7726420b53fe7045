"""A seed runs from the first start to the last stop, and again in the same way, whatever the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.long_runs.simulation.by_seeds import Outcome
from scripts.long_runs.simulation.world import run_seed

ROOT = Path(__file__).parents[4]
DIGESTS = """
from scripts.long_runs.simulation.world import run_seed
print(run_seed(2).digest, run_seed(18, 2, hosts=True).digest)
"""  # in 18 two bots watch a match that a host plays


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run_seed(2)


@pytest.mark.slow
def test_a_seed_is_ten_bots_twenty_matches_a_tournament_a_crash_and_three_faults(outcome: Outcome) -> None:
    assert outcome.faults == ()
    assert outcome.figures["bots"] >= 10
    assert outcome.figures["matches"] >= 20
    assert outcome.figures["tournaments"] >= 1
    assert outcome.figures["starts"] >= 2
    assert outcome.figures["faults"] >= 4


@pytest.mark.slow
def test_behind_gateways_that_die_and_a_bus_that_loses_nothing_is_lost_either() -> None:
    outcome = run_seed(2, gateways=2)
    assert outcome.faults == ()
    assert outcome.figures["starts"] >= 2
    assert outcome.figures["faults"] >= 14


@pytest.mark.slow
def test_with_hosts_that_die_and_are_cut_off_nothing_is_lost_either() -> None:
    outcome = run_seed(2, gateways=2, hosts=True)
    assert outcome.faults == ()
    assert outcome.figures["faults"] >= 19


@pytest.mark.slow
def test_the_same_seed_takes_the_same_steps_in_another_process_with_other_hashes(outcome: Outcome) -> None:
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    result = subprocess.run(
        [sys.executable, "-c", DIGESTS], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == [outcome.digest, run_seed(18, 2, hosts=True).digest]
