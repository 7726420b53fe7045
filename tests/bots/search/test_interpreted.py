"""The kernels are plain Python: interpreted they visit the same nodes and find the same lines as compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from games.registry import names

ROOT = Path(__file__).resolve().parents[3]
RUN = """
import sys
import numpy as np
from bots.players.catalogue import brain_for
from bots.search.searcher import Search, Searcher
from games.openings import opening
from games.registry import load_game

SMALLER = {"connect5": {"columns": 7, "rows": 7}}  # the same code; interpreted, 15x15 takes half a minute
game = load_game(sys.argv[1])
with np.errstate(all="ignore"):
    for seed in range(2):
        position = opening(game, seed, SMALLER.get(game.name)).position(game)
        for algorithm in Search:
            found = Searcher(brain_for(game), algorithm).search(position, depth=2)
            print(algorithm.value, found.move, found.value, found.nodes, *found.pv)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_interpreted_and_compiled_search_agree(name: str) -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", RUN, name],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            timeout=110,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert found[0] == found[1]
    assert len(found[0].splitlines()) == 4
