"""What is known to go wrong with compiled searches, each guarded here; the rules' share is in tests/games.

A recursion that was compiled for two signatures refers to itself by a symbol that is missing when the machine code
comes from the cache: the first run is right, the second crashes. Compiled code reads and writes beyond an array without
a word. And the kernels are plain Python: interpreted they visit the same nodes and find the same lines.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest
from numba import int64, typeof
from numba.core.caching import FunctionCache

from tabiya.bots.engine.search import search
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.compiled.cache import is_ours
from tabiya.games.compiled.jit import njit
from tabiya.games.registry import load_game, names
from tests.bots.print_lines import lines
from tests.processes import ROOT, python

COLD = """
from collections import Counter
from tabiya.bots.engine.quiescence import quiesce
from tabiya.bots.engine.search import search
from tabiya.bots.textbook.compiled import leaf, null_window, plain, window
from tabiya.bots.textbook.compiled.root import run
from tests.bots.print_lines import lines

print(*lines("nim", 2), sep="\\n")
for kernel in (search, run):
    unresolved = [s for s, code in kernel.inspect_asm().items() if ".numba.unresolved$" in code]
    assert not unresolved, unresolved
for recursion in (search, quiesce, plain.minimax, window.alphabeta, null_window.alphabetapvs, leaf.quiesce):
    per_game = Counter(str(signature[0]) for signature in recursion.signatures)
    assert set(per_game.values()) == {1}, (recursion, per_game)
assert len(search.stats.cache_misses) == 1, search.stats
assert len(run.stats.cache_misses) == 1, run.stats
"""
CHECKED = """
import sys
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.openings import opening
from tabiya.games.registry import load_game
from tests.bots.print_lines import lines
if "chess" in sys.argv:
    print(*lines("chess", 3, plain=()), sep="\\n")
else:
    print(*lines("connect5", 5, plain=["alphabeta-failsoft"]), sep="\\n")
    game = load_game("connect5")
    for position in (game.start(), opening(game, 1).position(game)):  # on the whole board
        print(Engine(evaluator_for(game), table_mb=1).search(position, depth=7).nodes)
"""
KERNELS = ROOT / "build" / "checked-kernels"  # stamped as the others are: compiled again after an edit alone
OPEN = b".numba.unresolved$"  # begins the name of a symbol that machine code needs and nobody has
COMPILES = pytest.mark.timeout(400)  # for many seconds of processor time, on a machine with much else to do


@pytest.mark.slow
def test_what_comes_from_the_cache_is_whole_and_finds_the_same() -> None:
    first = [line for name in names() for line in lines(name, 2)]
    assert python("-m", "tests.bots.print_lines", "2", *names()).splitlines() == [*first, "compiled 0"]
    assert len(first) == 8 * len(names())


@pytest.mark.parametrize("name", names())
def test_the_cache_has_the_recursion_once_for_each_evaluator(name: str) -> None:
    assert list(lines(name))
    evaluator = str(typeof(evaluator_for(load_game(name))))  # whole: what is linked to it has its name in its own
    kept = [str(signature) for signature, *_ in search._cache._cache_file._load_index()]
    assert sum(evaluator in signature for signature in kept) == 1, kept


@pytest.mark.slow
@COMPILES
def test_each_recursion_has_one_signature_and_leaves_no_symbol_open(tmp_path: Path) -> None:
    result = python("-c", COLD, NUMBA_CACHE_DIR=str(tmp_path))
    assert result.splitlines() == list(lines("nim", 2))


def cached() -> dict[str, bool]:
    """Every function of ours kept in the cache, by its signature, and whether its machine code has a symbol open."""
    found = {}
    for module in [each for each in sys.modules.values() if is_ours(getattr(each, "__file__", None) or "")]:
        for function in vars(module).values():
            if isinstance(cache := getattr(function, "_cache", None), FunctionCache):
                kept = cache._cache_file
                for (signature, *_), file in kept._load_index().items():
                    found[f"{function} {signature}"] = OPEN in Path(kept._cache_path, file).read_bytes()
    return found


@pytest.mark.slow
def test_the_machine_code_in_the_cache_has_no_symbol_open() -> None:
    """It stands in the file: for this no game is compiled again, and what few positions ask for need not be run.

    Where a recursion has two signatures it does have one, of rules as of searches.
    """
    before = cached()
    assert not any(before.values()), before  # to run it would be a crash
    assert all([*lines(name)] for name in names())
    found = cached()
    assert not any(found.values()), found
    for name in names():
        kernels = {str(kernel.kernel_name()) for kernel in (load_game(name), evaluator_for(load_game(name)))}
        assert sum(any(kernel in signature for kernel in kernels) for signature in found) > 2, name


@pytest.mark.slow
def test_an_open_symbol_would_be_seen() -> None:
    @njit
    def halved(x, times):  # type: ignore[no-untyped-def]
        return x if times < 1 else halved(x, times / 2)  # called with an int, it calls itself with a float

    @njit(cache=True)
    def outer(x):  # type: ignore[no-untyped-def]
        return halved(x, 4)

    outer.compile((int64,))
    (compiled,) = outer.overloads.values()
    assert OPEN in pickle.dumps(compiled.library.serialize_using_object_code())


@pytest.mark.slow
@COMPILES
@pytest.mark.parametrize("name", ["chess", "connect5"])
def test_no_kernel_of_a_search_reaches_outside_its_arrays(name: str) -> None:
    """With these checks it raises IndexError. No interpreter comes so deep; of the rules one shows it (tests/games)."""
    checked = python("-c", CHECKED, name, NUMBA_CACHE_DIR=str(KERNELS), NUMBA_BOUNDSCHECK="1")
    assert python("-c", CHECKED, name) == checked


@pytest.mark.slow
def test_interpreted_and_compiled_searches_agree() -> None:
    compiled = [line for name in names() for line in lines(name)]
    interpreted = python("-m", "tests.bots.print_lines", "0", *names(), NUMBA_DISABLE_JIT="1")
    assert interpreted.splitlines() == [*compiled, "compiled 0"]
