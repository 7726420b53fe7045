"""What is known to go wrong with cached, recursive kernels, each guarded here for the engine.

A recursion that was compiled for two signatures refers to itself by a symbol that is missing when the machine code
comes from the cache: the first run is right, the second crashes. So each game's engine is compiled in a process of its
own into a fresh cache, looked at, and run again from that cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bots.players.catalogue import BRAINS
from games.registry import names

ROOT = Path(__file__).resolve().parents[3]

RUN = """
import sys
from collections import Counter
from bots.engine.engine import Engine
from bots.engine.quiescence import quiesce
from bots.engine.search import search
from bots.players.catalogue import brain_for
from games.openings import opening
from games.registry import load_game

game = load_game(sys.argv[1])
engine = Engine(brain_for(game), table_mb=1)
for position in (game.start(), opening(game, 1).position(game)):
    found = engine.search(position, depth=int(sys.argv[3]))
    print(found.move, found.value, found.nodes, *found.pv)
if sys.argv[2] == "cold":
    unresolved = [s for s, code in search.inspect_asm().items() if ".numba.unresolved$" in code]
    assert not unresolved, unresolved
    for recursion in (search, quiesce):
        assert len(recursion.signatures) == 1, recursion.signatures
    assert len(search.stats.cache_misses) == 1, search.stats
else:
    assert len(search.stats.cache_hits) == 1, search.stats
    assert not search.stats.cache_misses, search.stats
"""


def run(name: str, temperature: str, depth: int, cache: Path, **environment: str) -> str:
    command = [sys.executable, "-c", RUN, name, temperature, str(depth)]
    found = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nim", "connect5", "reversi", "chess"])
def test_the_recursion_has_one_signature_and_the_second_run_from_the_cache_equals_the_first(
    name: str, tmp_path: Path
) -> None:
    first = run(name, "cold", 4, tmp_path)
    assert run(name, "warm", 4, tmp_path) == first
    assert len(first.splitlines()) == 2


def test_every_brain_is_guarded() -> None:
    guarded = ("nim", "connect5", "reversi", "chess")
    assert {BRAINS[name] for name in guarded} == {BRAINS[name] for name in names()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect5", "chess"])
def test_no_kernel_reads_or_writes_outside_its_arrays(name: str, tmp_path: Path) -> None:
    checked = run(name, "cold", 7, tmp_path, NUMBA_BOUNDSCHECK="1")
    assert len(checked.splitlines()) == 2
