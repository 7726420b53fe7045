"""The simulation finds the faults that are put into the server on purpose."""

from __future__ import annotations

import itertools

import pytest

from scripts.long_runs.simulation.planted_bugs import IN_GATEWAYS, IN_HOSTS, PLANTED
from scripts.long_runs.simulation.with_gateways import GATEWAYS
from scripts.long_runs.simulation.world import run_seed

SEEDS = 200
FOUND_BY = {"tell-before-save": 1, "ply-unchecked": 2, "alarm-unchecked": 3, "double-restore": 1, "result-outside": 2}
FOUND_IN_GATEWAYS_BY = {
    "gaps-unseen": 1,
    "doubles-unseen": 1,
    "lost-links-charged": 1,
    "gateways-unasked": 2,
    "way-charged": 1,
}

FOUND_IN_HOSTS_BY = {
    "unfenced": 19,
    "deaf-server-ends-hosts": 3,
    "leaves-before-saved": 4,
    "played-by-all": 1,
    "two-servers": 8,
}


def test_every_planted_fault_is_looked_for() -> None:
    assert FOUND_BY.keys() == PLANTED.keys()
    assert FOUND_IN_GATEWAYS_BY.keys() == IN_GATEWAYS.keys()
    assert FOUND_IN_HOSTS_BY.keys() == IN_HOSTS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_planted_fault_is_found_within_two_hundred_seeds(name: str) -> None:
    """The search begins at a seed that found it when this was written, and goes on if the server has changed since."""
    with PLANTED[name]():
        assert is_found(FOUND_BY[name], 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(IN_GATEWAYS))
def test_a_fault_planted_in_gateways_is_found_within_two_hundred_seeds(name: str) -> None:
    with IN_GATEWAYS[name]():
        assert is_found(FOUND_IN_GATEWAYS_BY[name], GATEWAYS)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(IN_HOSTS))
def test_a_fault_planted_in_hosts_is_found_within_two_hundred_seeds(name: str) -> None:
    with IN_HOSTS[name]():
        assert is_found(FOUND_IN_HOSTS_BY[name], GATEWAYS, hosts=True)


def is_found(first: int, gateways: int, *, hosts: bool = False) -> bool:
    return any(run_seed(seed, gateways, hosts=hosts).faults for seed in itertools.islice(seeds_from(first), SEEDS))


def seeds_from(first: int) -> itertools.chain[int]:
    return itertools.chain(range(first, SEEDS + 1), range(1, first))
