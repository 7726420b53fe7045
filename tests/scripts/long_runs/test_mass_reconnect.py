"""A herd that comes back after a restart, in its short form, through a narrow door."""

from __future__ import annotations

import pytest

from scripts.long_runs import mass_reconnect


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_ten_bots_come_back_to_a_server_that_was_restarted(capsys: pytest.CaptureFixture[str]) -> None:
    assert mass_reconnect.main(["--bots", "10", "--hellos", "2"]) == 0
    output = capsys.readouterr().out
    assert "10 bots are back after a restart" in output
    assert "10 bots are back after a break of all lines" in output
    assert int(output.split(" answered busy")[1].split()[-1]) > 0


def test_the_share_that_was_back_by_then() -> None:
    assert [mass_reconnect.at(share, [3.0, 1.0, 2.0, 4.0]) for share in (0.0, 0.5, 1.0)] == [1.0, 3.0, 4.0]
