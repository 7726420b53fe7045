"""Numbers that compiled code finds by a name for their address, as it finds a function of another library.

A global array would be frozen into the machine code, all of it for every function that reads it. Cached machine code
refers to the name instead, and what stands there can change without compiling again.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

INT16, INT64 = ir.IntType(16), ir.IntType(64)


class ExternalArray:
    """int16 numbers that compiled code finds by a symbol. numbers: never moved, since their address is known.

    number(place): for compiled code and for Python, the number at a place, all counted in one row; int64.
    """

    def __init__(self, symbol: str, numbers: int | tuple[int, ...] | np.ndarray[Any, np.dtype[np.int16]]) -> None:
        """symbol: unlike all other names in the process.  numbers: an array, or the shape of one of zeros."""
        self.symbol = symbol
        self.numbers = numbers if isinstance(numbers, np.ndarray) else np.zeros(numbers, np.int16)
        llvm.add_symbol(symbol, self.numbers.ctypes.data)
        self.number = self._reader()

    def pointer(self, builder: Any, place: Any) -> Any:
        """For the body of an intrinsic: the address of the number at `place` (int64), all counted in one row."""
        start = builder.module.globals.get(self.symbol)
        if start is None:
            array = ir.ArrayType(INT16, self.numbers.size)
            start = cgutils.add_global_variable(builder.module, array, self.symbol)
        return builder.gep(start, [ir.Constant(INT64, 0), place])

    def _reader(self) -> Any:
        numbers = self.numbers.reshape(-1)

        def number(place: Any) -> int:
            return int(numbers[place])

        @intrinsic
        def read(typingctx: Any, place: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return builder.sext(builder.load(self.pointer(builder, args[0])), INT64)

            return types.int64(types.int64), generate

        def compiled(place):
            return read(place)

        overload(number)(lambda place: compiled)
        return number
