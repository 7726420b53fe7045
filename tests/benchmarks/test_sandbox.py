"""What a sandbox costs is measured with a bot in a worker, and as a ratio to none."""

from __future__ import annotations

import json

import pytest

from benchmarks.sandbox import Times, main, row
from tests.tabiya.sandbox.sandboxes import on_linux


@on_linux
@pytest.mark.slow
def test_a_start_and_moves_are_measured_with_a_sandbox_and_without(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--kinds", "none,landlock", "--starts", "1", "--moves", "3", "--format", "json"])
    none, landlock = json.loads(capsys.readouterr().out)
    assert (none["sandbox"], none["start_ratio"], none["move_ratio"]) == ("none", 1.0, 1.0)
    assert (landlock["sandbox"], landlock["start_ms"] > 10, landlock["move_ms"] > 0) == ("landlock", True, True)


def test_a_row_has_medians_and_ratios_of_them() -> None:
    found = row("x", Times([0.2, 0.3, 0.9], [0.003, 0.001, 0.002]), Times([0.1], [0.001]))
    assert (found.start_ms, found.start_ratio, found.move_ms, found.move_ratio) == (300, 3.0, 2.0, 2.0)


def test_an_unknown_sandbox_is_one_sentence() -> None:
    with pytest.raises(SystemExit, match="no sandbox 'paper'"):
        main(["--kinds", "paper"])
