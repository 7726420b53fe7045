"""A prefetch intrinsic (llvm.prefetch): a hint that loads a cache line early, without effect on values."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

INT8, INT32, INT64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
TO_READ, IN_ALL_CACHES, DATA = 0, 3, 1  # in the words of LLVM's `prefetch`


def prefetch(records: Any, index: Any) -> None:
    """Begin to load the cache line of records[index]; nothing else happens, so any index will do."""


@intrinsic
def _prefetch(typingctx: Any, records: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, args[0]).data
        offset = builder.mul(args[1], ir.Constant(INT64, kind.dtype.size))
        place = builder.gep(builder.bitcast(data, INT8.as_pointer()), [offset])
        kinds = ir.FunctionType(ir.VoidType(), [place.type, INT32, INT32, INT32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kinds)
        builder.call(function, [place, *(ir.Constant(INT32, word) for word in (TO_READ, IN_ALL_CACHES, DATA))])
        return context.get_dummy_value()

    return types.void(records, types.int64), generate


@overload(prefetch)
def _prefetch_compiled(records, index):
    def compiled(records, index):
        _prefetch(records, index)

    return compiled
