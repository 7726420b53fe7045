"""How compiled rules ask Python for a position after a move: by a C function that is found by name.

Machine code that calls a name can be kept for the next process; a pointer from ctypes is of one process alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from tabiya.games.compiled.jit import INNER

SYMBOL = "tabiya_make_in_python"
DONE, FAILED = 1, 0  # 0 is also what comes of an answer that an error has cut off

Make = Callable[[int, int, int], int]  # addresses of parent and child around the move; DONE, or FAILED
_made: list[Any] = []  # the C function, which must live as long as machine code may call it


def answer_with(make: Make) -> None:
    """Have `call_python` in compiled code call this; it takes the interpreter's lock for the time of the answer."""
    _made[:] = [ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 3)(make)]
    llvmlite.binding.add_symbol(SYMBOL, ctypes.cast(_made[0], ctypes.c_void_p).value)


def call_python(state: Any, move: Any, child: Any) -> int:
    """Have Python write the position after a move into `child`; DONE, or FAILED."""
    return int(_made[0](state.__array_interface__["data"][0], move, child.__array_interface__["data"][0]))


@intrinsic
def _call(typingctx: Any, state: Any, move: Any, child: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(i64, [i64] * 3), SYMBOL)
        addresses = [builder.ptrtoint(args[0], i64), args[1], builder.ptrtoint(args[2], i64)]
        return builder.call(function, addresses)

    return types.int64(state, types.int64, child), generate


@overload(call_python, jit_options=INNER)
def _call_python(state, move, child):  # without types, which Numba would compare with the implementation's
    return lambda state, move, child: _call(state, move, child)  # noqa: PLW0108 (an intrinsic is no Python function)
