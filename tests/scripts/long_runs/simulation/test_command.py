"""The command: figures for seeds that pass, and how to see one again that has failed."""

from __future__ import annotations

import sys

import pytest

from scripts.long_runs.simulation.__main__ import main

COMMAND = "python -m scripts.long_runs.simulation"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["simulation", *arguments])
    return main()


@pytest.mark.slow
def test_seeds_that_pass_are_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "--seeds", "1", "--first", "3") == 0
    output = capsys.readouterr().out
    assert "1 seeds from 3" in output
    assert "failed: none" in output


@pytest.mark.slow
def test_a_seed_that_fails_tells_how_to_see_it_again_and_does_the_same_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--seeds", "1", "--first", "1", "--planted", "tell-before-save")
    assert run(monkeypatch, *arguments) == 1
    output = capsys.readouterr().out
    assert "is told and not durable" in output
    assert f"again: {COMMAND} --seeds 1 --first 1 --trace --planted tell-before-save" in output
    assert run(monkeypatch, *arguments, "--trace") == 1
    again = capsys.readouterr().out
    assert output.split("digest")[1].split(")")[0] == again.split("digest")[1].split(")")[0]
