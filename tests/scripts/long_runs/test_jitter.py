"""Bots far away, in the short form; and that a game lost on time would be told."""

from __future__ import annotations

import pytest

from scripts.long_runs import jitter
from scripts.long_runs.postconditions import Stored
from scripts.long_runs.random_bots import Notes
from scripts.long_runs.wire_recorder import WireRecorder
from tabiya.games.registry import names
from tests.scripts.long_runs.test_chaos import match, row


@pytest.mark.slow
def test_six_bots_behind_lines_that_jitter_lose_nothing_through_it(capsys: pytest.CaptureFixture[str]) -> None:
    code = jitter.main(["--bots", "6", "--rounds", "1", "--game", names()[0], "--jitter", "20"])
    said = capsys.readouterr().out
    assert (code, said.splitlines()[-1]) == (0, "nobody has lost anything through the line"), said
    assert f"6 games of {names()[0]}" in said


def test_a_game_lost_on_time_fails_the_run_and_the_least_left_on_a_clock_is_told() -> None:
    lost = match("time", reason="its turn was sent at noon")
    stored = Stored([], {lost.id: lost}, {lost.id: (row(0, "a1", (5_000_000, 9_000_000), think_us=4_000_000),)}, [])
    (found,) = jitter.judged(stored, WireRecorder(), Notes())
    assert "its turn was sent at noon" in found
    assert jitter.least_left_s(stored) == 5.0
