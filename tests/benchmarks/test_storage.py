"""The benchmark of saving runs and prints what it measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.storage import run_both


@pytest.mark.slow
async def test_the_price_of_surviving_power_loss_is_measured_in_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await run_both({"process": str(tmp_path / "process.db"), "power": str(tmp_path / "power.db")}, 5, 0.1)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20].strip() for line in lines[2:6]] == [
        "process, grouped",
        "process, each alone",
        "power, grouped",
        "power, each alone",
    ]
    assert all(float(line[20:].split()[0]) > 0 for line in lines[2:6])
    assert lines[6].startswith("grouped: power saves ")
