"""How a start is measured: each in a process of its own, cold ones with nothing in the cache."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks import start
from benchmarks.start import Ready, main, ready, row
from tabiya.games.registry import names

SMALL = names()[0]
# In place of the engine: says what was in its cache, as seconds of the processor, and leaves something there.
STAND_IN = """import os, pathlib, sys
cache = pathlib.Path(os.environ["NUMBA_CACHE_DIR"])
print(len(list(cache.iterdir())))
(cache / str(os.getpid())).touch()
print(len(sys.argv[2:]), flush=True)
"""


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    main([*arguments, "--format", "json"])
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.slow
def test_a_warm_start_of_a_real_worker_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = rows(capsys, "--parts", "warm", "--games", SMALL, "--repeat", "1", "--table-mb", "4")
    assert (found["part"], found["games"]) == ("warm", SMALL)
    seconds, cpu_s, mb = (float(str(found[name])) for name in ("seconds", "cpu_s", "mb"))
    assert cpu_s > 0
    assert seconds > 0
    assert 20 < mb < 1000


def test_every_cold_start_has_an_empty_cache_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "READY", ("-c", STAND_IN))
    found = rows(capsys, "--parts", "cold", "--games", ",".join(names()[:2]))
    assert [(each["games"], each["cpu_s"]) for each in found] == [(name, 0.0) for name in names()[:2]]


def test_games_together_share_a_cache_and_those_of_one_code_a_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "READY", ("-c", STAND_IN))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(start, "groups_with_same_rules", lambda games: [games[:2], games[2:3]])
    (found,) = rows(capsys, "--parts", "together", "--games", ",".join(names()[:3]))
    assert (found["part"], found["games"], found["cpu_s"], found["mb"]) == ("together", "all", 1.0, 2)


def test_a_row_has_medians_and_the_longest() -> None:
    found = row("warm", "g", [Ready(3.0, 1.0, 100.4), Ready(1.0, 3.0, 90.0), Ready(2.0, 2.5, 120.0)])
    assert (found.seconds, found.longest_s, found.cpu_s, found.mb) == (2.0, 3.0, 2.5, 100)


def test_a_process_that_fails_ends_the_measurement(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(start, "READY", ("-c", "print(1); print(1); raise SystemExit(3)"))
    with pytest.raises(subprocess.CalledProcessError):
        ready([SMALL], 16.0, str(tmp_path))


def test_a_part_that_is_none_is_one_sentence() -> None:
    with pytest.raises(SystemExit, match="no part 'lukewarm'"):
        main(["--parts", "lukewarm"])
