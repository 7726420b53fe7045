"""The benchmark of the explorer's page steps through a search and says what it took."""

from __future__ import annotations

import re

import pytest

from benchmarks.explorer import measure


@pytest.mark.slow
async def test_it_steps_and_tells_times_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    await measure({"tree": "001", "algorithm": "001-alphabeta"}, steps=14)
    output = capsys.readouterr().out
    assert re.search(
        r"^11 visits: searched and drawn after \d+\.\d s, drawn again after \d+\.\d\d s$", output, re.MULTILINE
    )
    assert re.search(r"^14 steps: median \d+\.\d ms, 95 % \d+\.\d ms, most \d+\.\d ms$", output, re.MULTILINE)
    assert re.search(r"^memory of the page: \d+ MB, \d+ bytes a visit$", output, re.MULTILINE)
