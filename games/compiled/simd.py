"""Rows of small numbers that one machine instruction adds or multiplies many of: what a neural network is made of.

Compiled, a row taken from a table is a value of the type `Int16VectorType`, which lives in the vector registers of the
processor; interpreted, it is a numpy array. The functions that a network needs are made for its table:

    TABLE = Table("tabiya_chess_net", 786, 128)
    row, added, weighed = TABLE.row, TABLE.added, TABLE.weighed

row(place): the row at `place`.  added(lanes, place): the sum of both, int16.
weighed(lanes, place): sum over all lanes of x * x * w, x the lane held within 0..TOP, w the number in that row; int64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from tabiya.games.compiled.external_arrays import INT16, INT64, ExternalArray

INT32 = ir.IntType(32)
TOP = 255  # what a lane is held below before it is squared: TOP times a weight fits into 16 bits
MOST_WEIGHT = 127
COUNTS = (8, 16, 32, 64, 128, 256)
assert COUNTS[-1] * TOP * TOP * MOST_WEIGHT < 2**31


class Int16VectorType(types.Type):
    """`count` int16 numbers in vector registers."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(f"Int16Vector({count})")


@register_model(Int16VectorType)
class Int16VectorModel(models.PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, lanes: Int16VectorType) -> None:
        super().__init__(manager, lanes, ir.VectorType(INT16, lanes.count))


class Table(ExternalArray):
    """Rows of int16 numbers under a name, and the functions that compiled code reads them with."""

    def __init__(self, symbol: str, rows: int, count: int) -> None:
        """count: numbers in each row, a power of two, of which the sum in `weighed` fits into 32 bits."""
        if count not in COUNTS:
            raise ValueError(f"a row has {count} numbers; there can be {', '.join(map(str, COUNTS))}")
        super().__init__(symbol, (rows, count))
        self.type, self._count = Int16VectorType(count), count
        numbers = self.numbers

        def row(place: Any) -> Any:
            return numbers[place].copy()

        def added(lanes: Any, place: Any) -> Any:
            return lanes + numbers[place]

        def weighed(lanes: Any, place: Any) -> Any:
            clamped = np.clip(lanes, 0, TOP).astype(np.int64)
            return np.int64((clamped * clamped * numbers[place]).sum())

        self.row, self.added, self.weighed = row, added, weighed
        compiled_row, compiled_added, compiled_weighed = self._row(), self._added(), self._weighed()
        overload(row)(lambda place: compiled_row)
        overload(added)(lambda lanes, place: compiled_added)
        overload(weighed)(lambda lanes, place: compiled_weighed)

    def _load(self, builder: Any, place: Any) -> Any:
        start = builder.mul(place, ir.Constant(INT64, self._count))
        vector = ir.VectorType(INT16, self._count).as_pointer()
        return builder.load(builder.bitcast(self.pointer(builder, start), vector), align=2)

    def _row(self) -> Any:
        @intrinsic
        def in_code(typingctx: Any, place: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return self._load(builder, args[0])

            return self.type(types.int64), generate

        def row(place):
            return in_code(place)

        return row

    def _added(self) -> Any:
        @intrinsic
        def in_code(typingctx: Any, lanes: Any, place: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return builder.add(args[0], self._load(builder, args[1]))

            return self.type(self.type, types.int64), generate

        def added(lanes, place):
            return in_code(lanes, place)

        return added

    def _weighed(self) -> Any:
        @intrinsic
        def in_code(typingctx: Any, lanes: Any, place: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                clamped = _clamped(builder, args[0])
                product = builder.mul(clamped, self._load(builder, args[1]))
                return builder.sext(_sum_of_products(builder, clamped, product), INT64)

            return types.int64(self.type, types.int64), generate

        def weighed(lanes, place):
            return in_code(lanes, place)

        return weighed


def _call(builder: Any, name: str, result: Any, *args: Any) -> Any:
    """A call of one of LLVM's own functions."""
    module, kind = builder.module, ir.FunctionType(result, [arg.type for arg in args])
    function = module.globals.get(name)
    return builder.call(ir.Function(module, kind, name) if function is None else function, args)


def _clamped(builder: Any, lanes: Any) -> Any:
    """Every lane within 0..TOP."""
    kind = lanes.type
    lowest, highest = (ir.Constant(kind, [limit] * kind.count) for limit in (0, TOP))
    above = _call(builder, f"llvm.smax.v{kind.count}i16", kind, lanes, lowest)
    return _call(builder, f"llvm.smin.v{kind.count}i16", kind, above, highest)


def _sum_of_products(builder: Any, one: Any, other: Any) -> Any:
    """The sum of all products of two vectors, int32."""
    wide = ir.VectorType(INT32, one.type.count)
    products = builder.mul(builder.sext(one, wide), builder.sext(other, wide))
    return _call(builder, f"llvm.vector.reduce.add.v{one.type.count}i32", INT32, products)
