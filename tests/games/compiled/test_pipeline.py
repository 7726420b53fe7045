import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.codegen import JITCodeLibrary

from tabiya.games.compiled import pipeline
from tabiya.games.compiled.jit import in_python, njit
from tabiya.games.compiled.pipeline import InnerLibrary, OuterLibrary
from tests.games.compiled import layers
from tests.source_rules.sources import ROOT

WATCHED = """
import sys
from tabiya.games.compiled import cache
cache.KERNEL_FOLDERS += ("tests/games/compiled",)
from tests.games.compiled import layers as of
"""
PRINT = WATCHED + "print(of.first(77), of.second(77), of.of_numba(77))"


def plain(x: int) -> tuple[int, int]:
    """What `first` and `second` say, in plain Python."""

    def lowest(x: int) -> int:
        return (x % 64) ** 2 + max(x, 3)

    def middle(x: int) -> int:
        return lowest(x) - lowest(x // 2)

    first = middle(x) + max(x, 1).bit_length() - 1
    return first, first + middle(x + 1) + lowest(x)


@pytest.mark.parametrize("x", [0, 1, 2, 77, 130, 1 << 20])
def test_functions_in_layers_say_what_plain_python_says(x: int) -> None:
    assert (layers.first(x), layers.second(x), layers.of_numba(x)) == (*plain(x), plain(x)[0])


@pytest.mark.parametrize("x", [0, 3, 77])
def test_what_one_caller_turns_out_not_to_need_is_there_for_the_next(x: int) -> None:
    middle = plain(x)[0] - (max(x, 1).bit_length() - 1)
    assert layers.third(x) == layers.third_of_numba(x) == 2 * x + middle


def test_python_cannot_call_what_is_for_compiled_callers() -> None:
    layers.first(5)
    for _ in range(2):
        with pytest.raises(TypeError, match="called_from_python_without_in_python"):
            layers.lowest(5)


def test_interpreted_a_function_calls_others_interpreted() -> None:
    assert in_python(layers.second)(77) == plain(77)[1]
    assert in_python(layers.pretends)(4) == 8


def test_machine_code_is_made_only_of_what_python_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    optimised: list[str] = []
    optimise = JITCodeLibrary._optimize_final_module

    def noted(library: JITCodeLibrary) -> None:
        optimised.append(library.name.rpartition(".")[2])
        optimise(library)

    monkeypatch.setattr(JITCodeLibrary, "_optimize_final_module", noted)

    @njit
    def inner(x):  # type: ignore[no-untyped-def]
        return x + 1

    @njit
    def deeper(x):  # type: ignore[no-untyped-def]
        return inner(x) ^ inner(x + 2)

    @njit(cache=True)
    def outer(x):  # type: ignore[no-untyped-def]
        return deeper(x)

    assert outer(4) == 5 ^ 7
    assert optimised == ["outer"]
    (result,) = deeper.overloads.values()
    assert isinstance(result.library, InnerLibrary)
    (result,) = outer.overloads.values()
    assert isinstance(result.library, OuterLibrary)


def test_what_was_not_linked_is_an_error_and_not_the_end_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "in_order", lambda _libraries: [])

    @njit(cache=True)
    def outer(x):  # type: ignore[no-untyped-def]
        return layers.lowest(x)

    with pytest.raises(AssertionError, match=r"lowest.* was not linked"):
        outer(5)


@pytest.mark.slow
def test_the_next_process_finds_them_in_the_cache_and_says_the_same(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    printed = []
    for _ in range(2):
        environment = kept | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        finished = subprocess.run(
            [sys.executable, "-B", "-c", PRINT], env=environment, capture_output=True, text=True, check=True
        )
        printed.append(finished.stdout.split())
    assert printed[0] == printed[1] == [str(x) for x in (*plain(77), plain(77)[0])]
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == 2


def test_compiled_functions_let_other_threads_run_by_default() -> None:
    def plain_sum(x, y):  # type: ignore[no-untyped-def]
        return x + y

    kinds = njit(plain_sum), njit(cache=True)(plain_sum), njit(nogil=True)(plain_sum), njit(nogil=False)(plain_sum)
    assert [kind.targetoptions["nogil"] for kind in kinds] == [True, True, True, False]


KEPT = f"""{WATCHED}
print(of.first(77), "numba.np.arrayobj" in sys.modules)
print(of.second(77), sum(of.first._cache_hits.values()))
"""


@pytest.mark.slow
def test_what_is_kept_is_loaded_without_what_compiles_and_can_still_be_a_part_of_what_is_compiled_later(
    tmp_path: Path,
) -> None:
    def lines(program: str) -> list[str]:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT, check=True)
        return done.stdout.splitlines()

    first, second = plain(77)
    assert lines(KEPT.rpartition("print")[0]) == [f"{first} True"]
    assert lines(KEPT) == [f"{first} False", f"{second} 1"]
    assert lines(KEPT) == [f"{first} False", f"{second} 1"]
