"""How functions are compiled.

@njit              for compiled callers: a part of each of them. Python cannot call it (TypeError).
@njit(cache=True)  for Python: compiled with all that it needs, and kept for the next process. Outside the folders
                   that games/compiled/cache.py watches it is compiled by each process: what is kept would go on running
                   after an edit of a function that it calls.

Both let other threads of Python run meanwhile. Numba compiles what it has itself (`min`, an array of zeros) once for
callers that do and once more for callers that do not, so all are alike.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types as numba_types
from numba.core.errors import NumbaNotImplementedError
from numba.extending import typeof_impl
from numba.np import numpy_support

from tabiya.games.compiled.cache import is_ours
from tabiya.games.compiled.gc_tuning import collect_rarely_while_compiling
from tabiya.games.compiled.pipeline import InnerCompiler, OuterCompiler

OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
INNER = OPTIONS | {"pipeline_class": InnerCompiler, "no_cpython_wrapper": True}
OUTER = OPTIONS | {"pipeline_class": OuterCompiler}

collect_rarely_while_compiling()

numbas_type_of_array = typeof_impl.dispatch(np.ndarray)


@typeof_impl.register(np.ndarray)
def type_of_array(array: Any, context: Any) -> numba_types.Type:
    """As Numba's own, which asks whether an array is masked and so loads numpy.ma first, a thirtieth of a start."""
    if "numpy.ma" in sys.modules:
        return numbas_type_of_array(array, context)
    try:
        dtype = numpy_support.from_dtype(array.dtype)
    except NumbaNotImplementedError:
        return numbas_type_of_array(array, context)
    return numba_types.Array(dtype, array.ndim, numpy_support.map_layout(array), readonly=not array.flags.writeable)


def njit(function: Callable[..., Any] | None = None, /, *, cache: bool = False, **options: Any) -> Any:
    """Compile a function, if `cache` for Python, else for compiled callers; the rest as numba.njit."""
    if function is None:
        return functools.partial(njit, cache=cache, **options)
    is_kept = cache and is_ours(function.__code__.co_filename)
    return numba.njit(cache=is_kept, **((OUTER if cache else INNER) | options))(function)


def entry(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """`function` compiled for arguments of the types of these, to be called with no others.

    A call through the compiler's dispatcher looks at the type of every argument: measured for a step of reversi,
    10 microseconds, of which the rules take a fifth of one. Interpreted it is the function itself.
    """
    compile_for = getattr(function, "compile", None)
    if compile_for is None:
        return function
    compiled: Callable[..., Any] = compile_for(tuple(numba.typeof(argument) for argument in arguments))
    return compiled


def in_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """A compiled function as plain Python, together with the compiled functions that it calls by name."""
    plain = getattr(function, "py_func", function)
    twin = types.FunctionType(
        plain.__code__, _Interpreted(plain.__globals__), plain.__name__, plain.__defaults__, plain.__closure__
    )
    twin.__kwdefaults__ = plain.__kwdefaults__
    return twin


class _Interpreted(dict[str, Any]):
    """The names of a module, its compiled functions interpreted."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names

    def __missing__(self, name: str) -> Any:
        value = self._names[name]
        return in_python(value) if hasattr(value, "py_func") else value
