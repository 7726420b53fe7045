"""Rounds paired in a process of their own, and what happens when that comes to nothing."""

from __future__ import annotations

import pytest

from tabiya.server.pairing import FORMATS, Plan
from tabiya.server.tournaments import pairing_process
from tabiya.server.tournaments.pairing_process import PairingExecutor, PairingJob, advance_in_subprocess

SWISS = FORMATS["swiss"]
PLAN = Plan(entrants=pairing_process.SUBPROCESS_FROM_ENTRANTS, rounds=3)


@pytest.mark.slow
async def test_a_process_gives_the_same_pairings_as_this_one() -> None:
    state = SWISS.begin(PLAN)
    assert await advance_in_subprocess(PairingJob("swiss", PLAN, state)) == SWISS.advance(PLAN, state)


@pytest.mark.usefixtures("errors_expected")
async def test_when_the_process_fails_the_round_is_paired_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing_process, "PROGRAM", "raise SystemExit('no')")
    state = SWISS.begin(PLAN)
    assert await PairingExecutor().advance(SWISS, PLAN, state) == SWISS.advance(PLAN, state)


@pytest.mark.usefixtures("errors_expected")
async def test_a_process_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing_process, "PROGRAM", "import time; time.sleep(60)")
    monkeypatch.setattr(pairing_process, "TIMEOUT_S", 0.05)
    assert await advance_in_subprocess(PairingJob("swiss", PLAN, SWISS.begin(PLAN))) is None
