"""Four or eight 64-bit sets that one or two machine instructions work on at once.

Compiled, they are a value of the type `SetsType` in vector registers of the processor; interpreted, an array of numpy.
Either way `& | ^ ~ + - << >>` work on each of them, and a single set beside several stands for as many times itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

INT1, INT32, INT64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
EIGHT = 8


class SetsType(types.Type):
    """`count` uint64 in vector registers."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(f"Sets({count})")


FOUR_SETS, EIGHT_SETS = SetsType(4), SetsType(EIGHT)


@register_model(SetsType)
class SetsModel(models.PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: SetsType) -> None:
        super().__init__(manager, kind, ir.VectorType(INT64, kind.count))


def four_sets(table: Any, row: Any) -> Any:
    """The four sets in a row of a table of uint64."""
    return table[row].copy()


def eight_sets(words: Any, at: Any) -> Any:
    """words[at], ..., words[at + 7] of an array of uint64."""
    return words[at : at + EIGHT].copy()


def put(words: Any, at: Any, sets: Any) -> None:
    """Write eight sets to words[at], ..., words[at + 7]."""
    words[at : at + EIGHT] = sets


def union(sets: Any) -> Any:
    """All members of the sets in one."""
    return np.bitwise_or.reduce(sets)


def members(sets: Any) -> int:
    """How many members the sets have together."""
    return sum(int(one).bit_count() for one in sets)


def filled(sets: Any) -> Any:
    """For each of the sets 1 if it has a member, else 0."""
    return (sets != 0).astype(np.uint64)


def highest(sets: Any) -> Any:
    """The highest member of each of the sets, none of which may be empty."""
    return np.array([1 << int(one).bit_length() - 1 for one in sets], np.uint64)


def _spread(builder: Any, value: Any, vector: Any) -> Any:
    """A set as many times as the vector has places; what are several sets already as they are."""
    if value.type == vector:
        return value
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(INT32, 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(INT32, vector.count), [0] * vector.count))


def _constant(number: int, vector: Any) -> Any:
    return ir.Constant(vector, [number] * vector.count)


def _call(builder: Any, name: str, result: Any, *args: Any) -> Any:
    """A call of one of LLVM's own functions for vectors of this length."""
    name, kind = f"llvm.{name}.v{args[0].type.count}i64", ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(builder.module.globals.get(name) or ir.Function(builder.module, kind, name), args)


def _overload(function: Callable[..., Any], generate: Callable[..., Any], result: Any = None) -> None:
    """Compile a function of several sets. generate(builder, sets): the value.  result: its type; None for sets."""

    @intrinsic
    def in_code(typingctx: Any, sets: Any) -> Any:
        return (result or sets)(sets), lambda context, builder, signature, args: generate(builder, *args)

    @overload(function)
    def on_sets(sets):
        return (lambda sets: in_code(sets)) if isinstance(sets, SetsType) else None  # noqa: PLW0108 (no Python function)


def _overload_operator(function: Any, name: str) -> None:
    @intrinsic
    def in_code(typingctx: Any, left: Any, right: Any) -> Any:
        kind = left if isinstance(left, SetsType) else right

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = context.get_value_type(kind)
            return getattr(builder, name)(*(_spread(builder, value, vector) for value in args))

        return kind(left, right), generate

    @overload(function)
    def on_sets(left, right):
        kinds = {left, right} - {types.uint64}
        if kinds in ({FOUR_SETS}, {EIGHT_SETS}):
            return lambda left, right: in_code(left, right)  # noqa: PLW0108 (an intrinsic is no Python function)
        return None


for _function, _name in {
    operator.and_: "and_",
    operator.or_: "or_",
    operator.ior: "or_",
    operator.xor: "xor",
    operator.add: "add",
    operator.sub: "sub",
    operator.lshift: "shl",
    operator.rshift: "lshr",
}.items():
    _overload_operator(_function, _name)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, place: Any, kind: SetsType) -> Any:
    """Where several sets are in an array of uint64, `place` words behind its first."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), context.get_value_type(kind).as_pointer())


@intrinsic
def _four_sets(typingctx: Any, table: Any, row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.mul(args[1], ir.Constant(INT64, FOUR_SETS.count))
        return builder.load(_pointer(context, builder, table, args[0], place, FOUR_SETS), align=8)

    return FOUR_SETS(table, types.int64), generate


@intrinsic
def _eight_sets(typingctx: Any, words: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, at = args
        return builder.load(_pointer(context, builder, words, array, at, EIGHT_SETS), align=8)

    return EIGHT_SETS(words, types.int64), generate


@intrinsic
def _put(typingctx: Any, words: Any, at: Any, sets: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, at, value = args
        builder.store(value, _pointer(context, builder, words, array, at, EIGHT_SETS), align=8)
        return context.get_dummy_value()

    return types.none(words, types.int64, EIGHT_SETS), generate


@overload(four_sets)
def _four_sets_compiled(table, row):
    return lambda table, row: _four_sets(table, row)  # noqa: PLW0108


@overload(eight_sets)
def _eight_sets_compiled(words, at):
    return lambda words, at: _eight_sets(words, at)  # noqa: PLW0108


@overload(put)
def _put_compiled(words, at, sets):
    return lambda words, at, sets: _put(words, at, sets)  # noqa: PLW0108


def _members(builder: Any, sets: Any) -> Any:
    return _call(builder, "vector.reduce.add", INT64, _call(builder, "ctpop", sets.type, sets))


def _filled(builder: Any, sets: Any) -> Any:
    return builder.zext(builder.icmp_unsigned("!=", sets, _constant(0, sets.type)), sets.type)


def _highest(builder: Any, sets: Any) -> Any:
    zeros = _call(builder, "ctlz", sets.type, sets, ir.Constant(INT1, 1))
    return builder.lshr(_constant(1 << 63, sets.type), zeros)


_overload(union, lambda builder, sets: _call(builder, "vector.reduce.or", INT64, sets), types.uint64)
_overload(members, _members, types.int64)
_overload(filled, _filled)
_overload(highest, _highest)
_overload(operator.invert, lambda builder, sets: builder.not_(sets))
