"""Methods that do not compile are called in Python, from within the compiled search.

The machine code calls back through a C function pointer, which takes the interpreter's lock for the time of the answer.
A pointer is of this process alone, so Numba keeps no such code for others.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


@intrinsic
def address_of(typingctx: Any, record: Any) -> Any:
    """The address of a record; of an evaluator, that of its parameters (parameter_binding.py), 0 if it has none."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(record), generate


class PythonCallback:
    """A Python method behind a C function pointer.

    An exception cannot pass through machine code: the first one is kept in `error`.

    kept: so that the pointer stays valid as long as somebody may call it.
    """

    kept: list[Any] = []  # noqa: RUF012 (for the whole process)

    def __init__(
        self, method_of: Callable[[int], Callable[..., Any]], record: np.dtype[Any], *, takes_move: bool
    ) -> None:
        """method_of: the method of an evaluator, by the address of its parameters.  record: the type of a state."""
        self.error: Exception | None = None
        self._method_of, self._takes_move = method_of, takes_move
        self._record = np.dtype((np.record, record))
        self.pointer = CALL(self._answer)
        self.kept.append(self.pointer)

    def _answer(self, address: int, move: int, parameters: int) -> int:
        try:
            memory: Any = (ctypes.c_char * self._record.itemsize).from_address(address)
            state = np.frombuffer(memory, self._record).view(np.recarray)[0]
            method = self._method_of(parameters)
            return int(method(state, move) if self._takes_move else method(state))
        except Exception as error:
            self.error = self.error or error
            return 0


def callback_evaluate(pointer: Any) -> Any:
    """An `evaluate` that calls the pointer."""

    def evaluate(self: Any, state: Any) -> Any:
        return pointer(address_of(state), 0, address_of(self))

    return evaluate


def callback_priority(pointer: Any) -> Any:
    """A `priority` that calls the pointer."""

    def priority(self: Any, state: Any, move: Any) -> Any:
        return pointer(address_of(state), np.int64(move), address_of(self))

    return priority


CALLBACK_METHODS = {"evaluate": callback_evaluate, "priority": callback_priority}
