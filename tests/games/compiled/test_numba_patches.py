"""What is computed with less work is what Numba computes."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import ir, types
from numba.core.compiler import Flags, run_frontend
from numba.core.registry import cpu_target

from tabiya.games.compiled import numba_patches
from tabiya.games.compiled.jit import njit
from tests.processes import python

CODE = """
import sys
from tabiya.games.compiled import numba_patches
if sys.argv[1] == "without":
    numba_patches.KNOWN = ()
from tests.games.compiled import layers
for function in (layers.first, layers.second, layers.third):
    function(77)
    for code in function.inspect_llvm().values():
        print(code)
"""


def varied(numbers: Any, least: Any) -> Any:
    """With loops, tuples, calls by name and branches."""
    found, pair = 0, (least, len(numbers))
    for i, number in enumerate(numbers):
        if number > pair[0] and i not in (3, 5):
            found = max(found, number, key=lambda each: -each)
        elif not found:
            numbers[i] += pair[1]
    return [found, {"a": pair}, (found, [pair, slice(least, i)])]


def instructions() -> Iterator[ir.Inst]:
    for block in run_frontend(varied).blocks.values():
        yield from block.body


def plainly(found: Any) -> list[ir.Var]:
    """The variables in it, in order."""
    if isinstance(found, ir.Var):
        return [found]
    if isinstance(found, ir.Inst):
        return plainly(found._kws if isinstance(found, ir.Expr) else vars(found))
    if isinstance(found, dict):
        return plainly(list(found.values()))
    return [variable for each in found for variable in plainly(each)] if isinstance(found, (list, tuple)) else []


@pytest.fixture
def patched() -> Iterator[None]:
    """The patches in force, as while a kernel of ours compiles."""
    with numba_patches.IN_FORCE:
        yield


@pytest.mark.usefixtures("patched")
def test_the_variables_of_an_instruction_are_all_that_it_is_made_of() -> None:
    seen = [(instruction.list_vars(), plainly(instruction)) for instruction in instructions()]
    assert [found for found, _ in seen] == [expected for _, expected in seen]
    assert max(len(found) for found, _ in seen) > 2


@pytest.mark.usefixtures("patched")
def test_a_configuration_has_the_value_of_every_option() -> None:
    flags = Flags()
    flags.nrt, flags.enable_pyobject = True, False
    assert flags.values() == {name: getattr(flags, name) for name in flags.options}
    assert flags.values()["nrt"] is True


@pytest.mark.usefixtures("patched")
def test_configurations_are_equal_if_their_values_are() -> None:
    one, other = Flags(), Flags()
    one.nrt = Flags.options["nrt"].default  # set, to what it is anyway
    assert one == other
    assert hash(one) == hash(other)
    one.nrt = not one.nrt
    assert one != other
    assert one != "Flags()"


NUMBERS = [
    numba.int64,
    numba.int32,
    numba.uint64,
    numba.float64,
    numba.boolean,
    types.IntegerLiteral(3),
    types.BooleanLiteral(True),
]


@pytest.mark.parametrize(
    "function", [operator.add, operator.sub, operator.eq, operator.lt, operator.and_, operator.rshift]
)
def test_an_operator_means_the_same_every_time(function: Any) -> None:
    context = cpu_target.typing_context
    context.refresh()
    kind = context.resolve_value_type(function)
    for one in NUMBERS:
        for other in NUMBERS:
            assert answers(numba_patches.call_type, kind, context, (one, other)) == answers(
                numba_patches.numbas_call_type, type(kind)(kind.templates), context, (one, other)
            )


def answers(asked: Any, kind: Any, context: Any, arguments: Any) -> list[Any]:
    """What is answered twice: signature and implementation, or what kind of error."""
    found: list[Any] = []
    for _ in range(2):
        try:
            signature = asked(kind, context, arguments, {})
            found.append((signature, kind.get_impl_key(signature)))
        except numba.core.errors.NumbaError as error:
            found.append(type(error))
    return found


@pytest.mark.usefixtures("patched")
def test_an_operator_that_gets_another_meaning_has_it_at_once() -> None:
    context, pair = cpu_target.typing_context, (numba.boolean, numba.boolean)
    context.refresh()
    with pytest.raises(numba.TypingError):
        context.resolve_function_type(operator.matmul, pair, {})

    both = lambda one, other: (lambda one, other: one and other) if (one, other) == pair else None  # noqa: E731
    numba.extending.overload(operator.matmul)(both)
    context.refresh()
    assert context.resolve_function_type(operator.matmul, pair, {}).return_type == numba.boolean


def test_arrays_are_computed_with_as_before() -> None:
    @njit
    def inner(numbers: Any) -> Any:
        return (2 * numbers + numbers * numbers)[1:].sum() + (numbers == 3).sum()

    outer = numba.njit(lambda numbers: inner(numbers) + inner(numbers[::-1]))
    numbers = np.arange(5)
    assert outer(numbers) == (2 * numbers + numbers**2)[1:].sum() + (2 * numbers + numbers**2)[:-1].sum() + 2


def test_the_code_is_the_same_to_the_letter(tmp_path: Path) -> None:
    result = [python("-c", CODE, which, NUMBA_CACHE_DIR=str(tmp_path / which)) for which in ("with", "without")]
    assert result[0] == result[1]
    assert "define" in result[0]


def calls(function: Any) -> Any:
    return lambda number: function(number) + 1


def in_force() -> list[bool]:
    return [getattr(patch.owner, patch.name) is patch.replacement for patch in numba_patches.KNOWN]


def test_all_of_them_are_in_force_while_our_kernels_compile_and_none_while_others_do() -> None:
    seen: list[tuple[Any, list[bool]]] = []

    def noted(number: Any) -> Any:
        return number

    def implemented(number):  # type: ignore[no-untyped-def]
        seen.append((number, in_force()))
        return lambda number: number

    numba.extending.overload(noted)(implemented)

    numba.njit(calls(noted)).compile((numba.int64,))
    njit(calls(noted)).compile((numba.int32,))
    assert {kind: {any(each), all(each)} for kind, each in seen} == {numba.int64: {False}, numba.int32: {True}}
    with pytest.raises(numba.TypingError):
        njit(lambda number: number.no_such_thing).compile((numba.int64,))
    assert not any(in_force())


def test_a_method_of_a_numba_that_is_not_known_is_left_alone() -> None:
    known = numba_patches.KNOWN[0]
    assert known.fits()
    assert not known._replace(original=values_of_another_version).fits()
    assert not known._replace(original=eval("lambda config: {}")).fits()  # noqa: S307 (without a source)


def values_of_another_version(config: Any) -> Any:
    return dict(config)
