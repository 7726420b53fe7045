"""Four 64-bit sets that one machine instruction works on at once.

Compiled, they are a value of the type `FourSetsType` in a vector register of the processor; interpreted, an array of
numpy. Either way `& | ~ + - << >>` work on each of the four, and a single set beside four stands for four times itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

COUNT = 4
INT32, INT64 = ir.IntType(32), ir.IntType(64)
VECTOR = ir.VectorType(INT64, COUNT)
BYTES = 8 * COUNT


class FourSetsType(types.Type):
    """Four uint64 in a vector register."""

    def __init__(self) -> None:
        super().__init__("FourSets")


FOUR_SETS = FourSetsType()


@register_model(FourSetsType)
class FourSetsModel(models.PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: FourSetsType) -> None:
        super().__init__(manager, kind, VECTOR)


def four_sets(table: Any, row: Any) -> Any:
    """The four sets in a row of a table of uint64."""
    return table[row].copy()


def union(sets: Any) -> Any:
    """All members of the four sets in one."""
    return np.bitwise_or.reduce(sets)


def filled(sets: Any) -> Any:
    """For each of the four 1 if it has a member, else 0."""
    return (sets != 0).astype(np.uint64)


def highest(sets: Any) -> Any:
    """The highest member of each of the four, none of which may be empty."""
    return np.array([1 << int(one).bit_length() - 1 for one in sets], np.uint64)


def _spread(builder: Any, value: Any) -> Any:
    """Four times a set; what are four sets already as they are."""
    if value.type == VECTOR:
        return value
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.Constant(INT32, 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(INT32, COUNT), [0] * COUNT))


def _constant(number: int) -> Any:
    return ir.Constant(VECTOR, [number] * COUNT)


def _intrinsic(result: Any, generate: Callable[..., Any]) -> Any:
    """An intrinsic of four sets. generate(builder, *values): the value."""

    @intrinsic
    def in_code(typingctx: Any, sets: Any) -> Any:
        return result(sets), lambda context, builder, signature, args: generate(builder, *args)

    return in_code


def _overload_operator(function: Any, name: str) -> None:
    @intrinsic
    def in_code(typingctx: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, name)(*(_spread(builder, value) for value in args))

        return FOUR_SETS(left, right), generate

    @overload(function)
    def on_four(left, right):
        if {left, right} <= {FOUR_SETS, types.uint64} and FOUR_SETS in (left, right):
            return lambda left, right: in_code(left, right)  # noqa: PLW0108 (an intrinsic is no Python function)
        return None


for _function, _name in {
    operator.and_: "and_",
    operator.or_: "or_",
    operator.ior: "or_",
    operator.add: "add",
    operator.sub: "sub",
    operator.lshift: "shl",
    operator.rshift: "lshr",
}.items():
    _overload_operator(_function, _name)


@intrinsic
def _four_sets(typingctx: Any, table: Any, row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [builder.mul(args[1], ir.Constant(INT64, COUNT))])
        return builder.load(builder.bitcast(place, VECTOR.as_pointer()), align=8)

    return FOUR_SETS(table, types.int64), generate


def _union_of(builder: Any, sets: Any) -> Any:
    name, kind = "llvm.vector.reduce.or.v4i64", ir.FunctionType(INT64, [VECTOR])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, [sets])


def _filled_of(builder: Any, sets: Any) -> Any:
    return builder.zext(builder.icmp_unsigned("!=", sets, _constant(0)), VECTOR)


def _highest_of(builder: Any, sets: Any) -> Any:
    kind = ir.FunctionType(VECTOR, [VECTOR, ir.IntType(1)])
    name = "llvm.ctlz.v4i64"
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    zeros = builder.call(function, [sets, ir.Constant(ir.IntType(1), 1)])
    return builder.lshr(_constant(1 << 63), zeros)


_union, _filled = _intrinsic(types.uint64, _union_of), _intrinsic(FOUR_SETS, _filled_of)
_highest = _intrinsic(FOUR_SETS, _highest_of)
_inverted = _intrinsic(FOUR_SETS, lambda builder, sets: builder.not_(sets))


@overload(four_sets)
def _four_sets_compiled(table, row):
    return lambda table, row: _four_sets(table, row)  # noqa: PLW0108


@overload(union)
def _union_compiled(sets):
    return lambda sets: _union(sets)  # noqa: PLW0108


@overload(filled)
def _filled_compiled(sets):
    return lambda sets: _filled(sets)  # noqa: PLW0108


@overload(highest)
def _highest_compiled(sets):
    return lambda sets: _highest(sets)  # noqa: PLW0108


@overload(operator.invert)
def _inverted_compiled(sets):
    return (lambda sets: _inverted(sets)) if sets == FOUR_SETS else None  # noqa: PLW0108
