"""The collector of garbage: out of the way while something is compiled, and afterwards as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numba
import pytest

from tabiya.games.compiled import jit
from tabiya.games.compiled.gc_tuning import RARELY
from tabiya.games.compiled.pipeline import Passes

USUAL = (600, 9, 8)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def seen_while_compiling(function: Any) -> set[tuple[int, int, int]]:
    """The thresholds at every step of a compilation."""
    seen: set[tuple[int, int, int]] = set()
    run = Passes._runPass

    def noted(passes: Passes, *step: Any) -> None:
        seen.add(gc.get_threshold())
        run(passes, *step)
        seen.add(gc.get_threshold())

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Passes, "_runPass", noted)
        jit.njit(function).compile((numba.int64,))
    return seen


def doubled(number: Any) -> Any:
    return 2 * number


def test_while_something_is_compiled_it_is_seldom_at_work_and_afterwards_as_usual() -> None:
    gc.set_threshold(*USUAL)
    assert seen_while_compiling(doubled) == {RARELY}
    assert gc.get_threshold() == USUAL


def test_one_compilation_inside_another_ends_nothing() -> None:
    gc.set_threshold(*USUAL)
    inner = jit.njit(doubled)
    assert seen_while_compiling(lambda number: inner(number) + 1) == {RARELY}
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("chosen", [(0, 10, 10), (50_000, 20, 100)])
def test_a_collector_that_is_off_or_rarer_stays_so(chosen: tuple[int, int, int]) -> None:
    gc.set_threshold(*chosen)
    assert seen_while_compiling(doubled) == {chosen}
    assert gc.get_threshold() == chosen


def test_after_what_cannot_be_compiled_it_is_as_usual() -> None:
    gc.set_threshold(*USUAL)
    with pytest.raises(numba.TypingError):
        seen_while_compiling(lambda number: number.no_such_thing)
    assert gc.get_threshold() == USUAL
