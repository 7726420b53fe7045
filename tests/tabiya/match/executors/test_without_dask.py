"""Without the package `distributed` everything plays as before, and who asks for a cluster is told what is missing."""

from __future__ import annotations

import pytest

from tests.processes import ended, without

PROGRAM = """
from tabiya.cli.main import main

for words in sys.argv[1:]:
    try:
        main(("match", "random", "random", "-g", "nim", *words.split()))
    except SystemExit as ended:
        print(f"status {ended.code}", flush=True)
"""


@pytest.mark.slow
def test_a_match_is_played_without_dask_and_a_cluster_is_one_sentence() -> None:
    played = "-n 2 --format csv"
    done = ended(
        *("-c", without("dask", "distributed") + PROGRAM, played, f"{played} --workers 1"),
        "--workers dask://127.0.0.1:8786",
    )
    lines = done.stdout.splitlines()
    assert [at for at, line in enumerate(lines) if line.startswith("status")] == [3, 7, 8]
    assert lines[3::4] == ["status 0", "status 0"]
    assert lines[8] == "status 1"
    missing = "workers at dask://127.0.0.1:8786 need Dask, and distributed is not installed: pip install 'tabiya[dask]'"
    assert [line for line in done.stderr.splitlines() if line.startswith("tabiya: ")] == [f"tabiya: {missing}"]
