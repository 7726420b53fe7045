"""Bullet in its short form; and how losses on time are counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scripts.long_runs import bullet
from scripts.long_runs.checks.bot_logs import Troubles
from scripts.long_runs.checks.lost_on_time import LoopLag, at_most, taken, upper_bound
from scripts.long_runs.checks.postconditions import Stored
from tabiya.games.registry import names
from tabiya.storage.records import MatchId, MoveRecord
from tests.scripts.long_runs.test_chaos import match, row


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_four_games_of_bullet_and_no_lag_credit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # a clock that a pause of a busy machine cannot use up: here the command is tried, not the machine
    few = ["--games", "4", "--clock", "10+0.1", "--player", "random", "--of", names()[0]]
    code = bullet.main([*few, "--folder", str(tmp_path)])
    output = capsys.readouterr().out
    assert code == 0, output
    assert output.startswith("4 games at 10+0.1 in ")
    assert output.splitlines()[-1].startswith("lost on time: 0 of 4, 0.000 %")
    assert f"{names()[0]}: 4 games; lost on time 0, by illegal moves 0, by a crash 0; illegal moves 0, " in output
    assert bullet.main(["--read", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == output.splitlines()[1:]


def test_where_no_run_has_left_anything_there_is_nothing_to_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        bullet.main(["--read", str(tmp_path)])
    assert "no run has left its bullet.db" in capsys.readouterr().err


async def test_games_that_are_played_when_the_time_is_over_are_played_to_their_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their bots would be gone, and they lost on time."""
    asked, playing = list[str](), [[{"id": 1}, {"id": 2}], [{"id": 2}], []]

    class Server:
        async def ask(self, path: str, order: dict[str, Any] | None = None) -> Any:
            asked.append(path)
            if path.startswith("/api/v1/matches"):
                return {"matches": playing.pop(0)}
            return {"id": 5, "status": "cancelled" if "/api/v1/tournaments/5/cancel" in asked else "running"}

    monkeypatch.setattr(bullet, "POLL_S", 0.0)
    await bullet.tournament(Server(), {"game": "chess"}, until=0.0)  # type: ignore[arg-type]
    assert asked[-3:] == ["/api/v1/matches?tournament=5&status=running"] * 3
    assert not playing


def report_of(lost: int, games: int, **troubles: Troubles) -> tuple[str, bool]:
    """The report on so many games."""
    matches = {}
    for number in range(games):
        one = match("time" if number < lost else "line", reason="its turn was sent at noon")
        matches[MatchId(number)] = one
    rows: dict[MatchId, tuple[MoveRecord, ...]] = {
        number: (row(0, "a1", (5_000_000, 9_000_000), think_us=4_000_000),) for number in (*matches, MatchId(7))
    }
    return bullet.report(Stored([], matches, rows, []), troubles, bullet.machine_remarks(1.0, 0.5, LoopLag()))


def test_each_loss_on_time_is_reported_and_one_in_two_thousand_fails_the_run() -> None:
    printed, is_well = report_of(1, 2_001)
    assert is_well
    assert printed.count("its turn was sent at noon") == 1
    assert "lost on time: 1 of 2001, 0.050 % (at a confidence of 95 %, at most 0.237 %)" in printed
    assert not report_of(1, 2_000)[1]
    assert not report_of(0, 0)[1]


def test_what_is_no_loss_on_time_fails_the_run_too() -> None:
    fine = Troubles(9, Counter(), 0, Counter(), ())
    assert report_of(0, 9, nim=fine)[1]
    printed, is_well = report_of(0, 9, nim=fine, chess=replace(fine, illegal_moves=1))
    assert "chess: 9 games; lost on time 0, by illegal moves 0, by a crash 0; illegal moves 1, " in printed
    assert not is_well


@pytest.mark.parametrize(
    ("lost", "games", "bound"), [(0, 100, 0.02951), (5, 100, 0.10225), (0, 20_000, 0.0001498), (9, 10, 0.99488)]
)
def test_the_upper_bound_is_that_of_clopper_and_pearson(lost: int, games: int, bound: float) -> None:
    assert upper_bound(lost, games) == pytest.approx(bound, rel=1e-3)
    assert at_most(lost, games, upper_bound(lost, games)) == pytest.approx(0.05, rel=1e-6)


def test_of_no_games_or_none_that_was_not_lost_nothing_can_be_promised() -> None:
    assert upper_bound(0, 0) == upper_bound(3, 3) == 1.0


class Elsewhere(NamedTuple):
    """What psutil tells where it knows of no host."""

    user: float
    idle: float


class Guest(NamedTuple):
    """What psutil tells on Linux, in part."""

    user: float
    system: float
    idle: float
    iowait: float
    steal: float
    guest: float


def test_stolen_time_is_a_share_of_the_requested_time() -> None:
    before, after = Guest(10.0, 5.0, 100.0, 1.0, 2.0, 0.0), Guest(16.0, 7.0, 900.0, 9.0, 4.0, 6.0)
    assert taken(before, after) == 0.2
    assert taken(after, after) == 0.0
    assert taken(Elsewhere(1.0, 2.0), Elsewhere(3.0, 4.0)) == 0.0
    assert str(LoopLag()).endswith("% of the time it asked for")
