"""Without the package `distributed` everything plays as before, and who asks for a cluster is told what is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.house.sources import ROOT
from tests.processes import without

PROGRAM = without("dask", "distributed") + "from tabiya.cli.main import main; main()"


def without_dask(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("--workers", "1")])
def test_a_match_is_played_without_dask(workers: tuple[str, ...]) -> None:
    done = without_dask("match", "random", "random", "-g", "nim", "-n", "2", "--format", "csv", *workers)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 3), done.stderr


@pytest.mark.slow
def test_a_cluster_without_dask_is_one_sentence() -> None:
    done = without_dask("match", "random", "random", "-g", "nim", "--workers", "dask://127.0.0.1:8786")
    missing = "workers at dask://127.0.0.1:8786 need Dask, and distributed is not installed: pip install 'tabiya[dask]'"
    assert (done.returncode, done.stderr) == (1, f"tabiya: {missing}\n")
