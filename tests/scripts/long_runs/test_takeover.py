"""Two servers that take over from one another, in their short form."""

from __future__ import annotations

import pytest

from scripts.long_runs import takeover
from scripts.long_runs.takeover import Outage
from tests.storage.postgres import private_cluster


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_a_killed_and_a_stopped_server_are_taken_over_from(capsys: pytest.CaptureFixture[str]) -> None:
    with private_cluster() as cluster:
        words = ["--acts", "2", "--bots", "4", "--at-once", "2", "--think", "0.2", "--seed", "4"]
        assert takeover.main([*words, "--database", cluster.create("games")]) == 0
    output = capsys.readouterr().out
    assert "SIGKILL, 1 times" in output
    assert "SIGSTOP, 1 times" in output
    assert "no fault" in output


def test_the_summary_has_the_spread() -> None:
    outages = [Outage("SIGKILL", serves, serves + 1, serves + 2) for serves in (1.0, 3.0, 2.0)]
    assert takeover.summary(outages) == (
        "SIGKILL, 3 times: serves_s 1.0, 2.0, 3.0, 3.0, first_s 2.0, 3.0, 4.0, 4.0, last_s 3.0, 4.0, 5.0, 5.0"
    )
