"""Monotonic nanoseconds that compiled code can read.

The symbol `clock_gettime` is resolved by name, so machine code that calls it can be cached (a pointer from ctypes could
not). Linux and macOS have it. Elsewhere `HAS_CLOCK` is False, compiled code reads 0, and `limits.timer` sets the stop
flag from a timer thread instead (compiled search releases the interpreter lock).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

HAS_CLOCK = hasattr(time, "clock_gettime_ns") and hasattr(time, "CLOCK_MONOTONIC") and sys.maxsize > 2**32
CLOCK_ID = getattr(time, "CLOCK_MONOTONIC", 1)
SECOND_NS = 10**9


def now_ns() -> int:
    """Nanoseconds of the monotonic clock; the same clock compiled and interpreted."""
    return time.clock_gettime_ns(CLOCK_ID) if HAS_CLOCK else time.monotonic_ns()


@intrinsic
def _clock_gettime(typingctx: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i32, i64 = ir.IntType(32), ir.IntType(64)
        timespec = cgutils.alloca_once(builder, ir.ArrayType(i64, 2))
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(i32, [i32, timespec.type]), "clock_gettime"
        )
        builder.call(function, [ir.Constant(i32, CLOCK_ID), timespec])
        read = builder.load(timespec)
        seconds = builder.mul(builder.extract_value(read, 0), ir.Constant(i64, SECOND_NS))
        return builder.add(seconds, builder.extract_value(read, 1))

    return types.int64(), generate


@overload(now_ns)
def _now_ns() -> Callable[[], Any]:
    if HAS_CLOCK:
        return lambda: _clock_gettime()  # noqa: PLW0108 (an intrinsic is no Python function)
    return lambda: 0
