"""Bullet in its short form; and how losses on time are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.registry import names
from scripts.long_runs import bullet
from scripts.long_runs.afterwards import Stored
from scripts.long_runs.forfeits import Lateness
from storage.records import MatchId, MoveRecord
from tests.scripts.long_runs.test_chaos import match, row


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_four_games_of_bullet_and_no_lag_credit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = bullet.main(["--games", "4", "--player", "random", "--of", names()[0], "--folder", str(tmp_path)])
    said = capsys.readouterr().out
    assert code == 0, said
    assert said.splitlines()[-1] == "lost on time: 0 of 4, 0.000 %"


def told(lost: int, games: int) -> tuple[str, bool]:
    """The report on so many games."""
    matches = {}
    for number in range(games):
        one = match("time" if number < lost else "line", reason="its turn was sent at noon")
        matches[MatchId(number)] = one
    rows: dict[MatchId, tuple[MoveRecord, ...]] = {
        number: (row(0, "a1", (5_000_000, 9_000_000), think_us=4_000_000),) for number in (*matches, MatchId(7))
    }
    return bullet.report(Stored([], matches, rows, []), Lateness(), 1.0)


def test_each_loss_on_time_is_told_and_one_in_two_thousand_fails_the_run() -> None:
    said, is_well = told(1, 2_001)
    assert is_well
    assert said.count("its turn was sent at noon") == 1
    assert "lost on time: 1 of 2001, 0.050 %" in said
    assert not told(1, 2_000)[1]
    assert not told(0, 0)[1]
