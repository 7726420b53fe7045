"""A tournament that bots join by several doors at once, in its short form."""

from __future__ import annotations

import pytest

from scripts.long_runs import all_doors


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_bots_of_five_doors_meet_and_stand_in_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert all_doors.main(["--game", "chess", "--uci", "", "--xboard", "", "--moves", "3"]) == 0
    output = capsys.readouterr().out.split()
    assert {"websocket", "webhook", "lichess", "mcp", "pettingzoo-chess"} <= set(output)
