"""What is known to go wrong with cached, recursive kernels (docs: research on Numba), each guarded here.

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
from bots.players.catalogue import brain_for
from bots.search import alphabeta, minimax, leaves
from bots.search.searcher import Search, Searcher
from bots.search.root import search_root
from games.registry import load_game

game = load_game(sys.argv[1])
position = game.start()
algorithms = [Search(name) for name in sys.argv[3:]]
for algorithm in algorithms:
    found = Searcher(brain_for(game), algorithm).search(position, depth=3)
    print(algorithm.value, found.move, found.value, found.nodes)
if sys.argv[2] == "cold":
    unresolved = [s for s, code in search_root.inspect_asm().items() if ".numba.unresolved$" in code]
    assert not unresolved, unresolved
    for recursion in (minimax.minimax, alphabeta.alphabeta, leaves.leaf_value):
        per_game = Counter(str(signature[0]) for signature in recursion.signatures)
        assert set(per_game.values()) <= {1}, (recursion, per_game)
    assert alphabeta.alphabeta.signatures
    assert len(search_root.stats.cache_misses) == len(algorithms), search_root.stats
else:
    assert len(search_root.stats.cache_hits) == len(algorithms), search_root.stats
    assert not search_root.stats.cache_misses, search_root.stats
"""


def run(name: str, temperature: str, algorithms: list[str], cache: Path, **environment: str) -> str:
    command = [sys.executable, "-c", RUN, name, temperature, *algorithms]
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


ALL, ONE = ["minimax", "alphabeta"], ["alphabeta"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "algorithms"), [("nim", ALL), ("connect5", ONE), ("reversi", ONE), ("chess", ONE)])
def test_recursions_have_one_signature_and_the_second_run_from_the_cache_equals_the_first(
    name: str, algorithms: list[str], tmp_path: Path
) -> None:
    first = run(name, "cold", algorithms, tmp_path)
    assert run(name, "warm", algorithms, tmp_path) == first
    assert len(first.splitlines()) == len(algorithms)


def test_every_brain_is_guarded() -> None:
    guarded = ("nim", "connect5", "reversi", "chess")
    assert {BRAINS[name] for name in guarded} == {BRAINS[name] for name in names()}


@pytest.mark.slow
def test_no_kernel_reads_or_writes_outside_its_arrays(tmp_path: Path) -> None:
    checked = run("connect5", "cold", ONE, tmp_path, NUMBA_BOUNDSCHECK="1")
    assert len(checked.splitlines()) == 1
