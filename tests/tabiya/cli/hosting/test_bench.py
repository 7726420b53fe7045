"""`tabiya bench` runs what is in benchmarks/ with its own options, and says so where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.cli.hosting import bench
from tests.live import ROOT
from tests.tabiya.cli.command_runner import tabiya


def test_every_measurement_it_names_is_there_and_can_be_run_alone() -> None:
    for name in bench.BENCHMARKS:
        assert (ROOT / "benchmarks" / f"{name}.py").exists() or (ROOT / "benchmarks" / name / "__main__.py").exists()


def test_options_of_the_measurement_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(bench, "run_benchmark", lambda name, words: ran.append((name, words)))
    assert tabiya("bench", "server", "--only", "speed", "--help").status == 0
    assert ran == [("server", ["--only", "speed", "--help"])]


@pytest.mark.slow
def test_its_exit_status_is_the_commands() -> None:
    assert tabiya("bench", "server", "--only", "nothing").status == 2


def test_an_installed_package_says_where_the_measurements_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    assert tabiya("bench", "codec").sentence == bench.NOT_HERE
