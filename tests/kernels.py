"""Functions that are compiled for compiled callers only (games/compiled/jit.py), as tests may call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled once more, with a way in from Python; interpreted it is itself."""
    plain = getattr(function, "py_func", None)
    if plain is None:
        return function
    compiled: Callable[..., Any] = numba.njit(plain)
    return compiled


def return_type(function: Any, *arguments: Any) -> str:
    """The compiler's name of what the function returns for arguments of the types of these."""
    types = tuple(numba.typeof(argument) for argument in arguments)
    function.compile(types)
    return str(function.overloads[types].signature.return_type)
