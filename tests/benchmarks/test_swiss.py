"""The benchmark of Swiss rounds pairs them all, and says of each what it took."""

from __future__ import annotations

import pytest

from benchmarks.swiss import measure


@pytest.mark.slow
@pytest.mark.parametrize("thread", [False, True], ids=["process", "thread"])
async def test_every_round_is_paired_and_has_its_line(thread: bool, capsys: pytest.CaptureFixture[str]) -> None:
    await measure(bots=40, rounds=2, seed=1, thread=thread)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "40 bots, 2 rounds, seed 1"
    assert [int(line.split()[0]) for line in lines[2:]] == [1, 2]
    assert sum(float(line.split()[2]) for line in lines[2:]) > 0
    assert all(line.endswith(" ms") for line in lines[2:])
