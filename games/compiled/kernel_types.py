"""Kernels as Numba types: an object's *type* selects its methods at compile time.

A kernel is an ordinary class of ordinary methods. Passed to a compiled function, an instance carries no data and costs
nothing; `kernel.generate(state, moves)` inside that function becomes a direct call of the class's own method. So one
search source serves every game, and interpreted it is plain Python.

Numbers (board size, heaps) therefore live in the state, never in the instance. The name of the type is the module and
class, so types pickle, and machine code is found again in the cache by the next process.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import types
from numba.extending import NativeValue, models, overload_method, register_model, typeof_impl, unbox

from tabiya.games.compiled.cache import UNKEPT, is_ours
from tabiya.games.compiled.jit import INNER

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound="KernelType")

OURS = "tabiya"
_CLASSES: dict[str, type[Kernel]] = {}
_TYPES: dict[type[Kernel], KernelType] = {}
_SIGNATURES: dict[str, inspect.Signature] = {}
_unkept: dict[type[Kernel], int] = {}


class Kernel:
    """Base of every class whose instances may be passed to compiled code."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, method in vars(cls).items():
            if name in _SIGNATURES and inspect.isfunction(method):
                _check_parameters(cls, name, method)
        _CLASSES[cls.kernel_name()] = cls

    @classmethod
    def kernel_name(cls) -> str:
        """The identity of the compiled type: module and qualified name of the class, and a digest of others' code.

        Machine code is kept by this name, and by a digest of our own sources alone (games/compiled/cache.py). Raises
        TypeError for a class of ours whose source that digest leaves out.
        """
        name, package = f"{cls.__module__}.{cls.__qualname__}", cls.__module__.partition(".")[0]
        if package != OURS:
            return f"{name} {sources_digest(package) or in_no_file(cls)}"
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if file is not None and not is_ours(file):
            raise TypeError(f"{name} is compiled, and {file} is in none of KERNEL_FOLDERS (games/compiled/cache.py)")
        return name


@functools.cache
def sources_digest(package: str) -> str:
    """A digest of all Python files of a package, or of those beside a module of one file; "" for what is in no file."""
    module = sys.modules.get(package)
    folders, file = [*getattr(module, "__path__", ())], getattr(module, "__file__", None)
    paths = [path for folder in folders for path in Path(folder).rglob("*.py")]
    if not folders and file is not None:
        paths = [*Path(file).parent.glob("*.py")]  # it may call what lies there
    return hashlib.sha256(b"\0".join(each.read_bytes() for each in sorted(paths))).hexdigest()[:16] if paths else ""


def in_no_file(cls: type[Kernel]) -> str:
    """A unique mark for a class that was typed in: its source cannot be read, so its machine code is not kept."""
    return f"{UNKEPT} {_unkept.setdefault(cls, len(_unkept) + 1)}"


def _check_parameters(cls: type, name: str, method: Callable[..., Any]) -> None:
    """The compiler matches parameters by name and fails with a bare assertion; say it in words instead."""
    declared = list(_SIGNATURES[name].parameters)
    written = list(inspect.signature(method).parameters)
    if written != declared:
        raise TypeError(f"{cls.__qualname__}.{name} has parameters {written}; the contract declares {declared}")


class KernelType(types.Opaque):
    """The compiled type of one kernel class; equal names are equal types."""

    def __init__(self, kernel_name: str) -> None:
        self.kernel_name = kernel_name
        super().__init__(f"Kernel({kernel_name})")


@typeof_impl.register(Kernel)
def _typeof(kernel: Kernel, context: Any) -> KernelType:
    # asked for at every call from Python, so the answer is kept
    kernel_type = _TYPES.get(type(kernel))
    if kernel_type is None:
        kernel_type = _TYPES[type(kernel)] = KernelType(kernel.kernel_name())
    return kernel_type


register_model(KernelType)(models.OpaqueModel)


@unbox(KernelType)
def _unbox(kernel_type: KernelType, kernel: Kernel, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


def passed_as_address(attribute: str) -> Callable[[type[T]], type[T]]:
    """For the compiled type of kernels that carry something: in compiled code they are what this attribute holds."""

    def register(kernel_type: type[T]) -> type[T]:
        register_model(kernel_type)(models.OpaqueModel)

        @unbox(kernel_type)
        def unbox_address(typ: T, kernel: Kernel, c: Any) -> NativeValue:
            number = c.pyapi.object_getattr_string(kernel, attribute)
            address = c.pyapi.long_as_voidptr(number)
            c.pyapi.decref(number)
            return NativeValue(address)

        return kernel_type

    return register


def is_compiled(name: str) -> bool:
    """Whether compiled code knows methods of this name."""
    return name in _SIGNATURES


def compiled(method: F) -> F:
    """Mark a contract's method as callable from compiled code, on every kernel that has it."""
    name, signature = method.__name__, inspect.signature(method)
    if _SIGNATURES.setdefault(name, signature) != signature:
        raise TypeError(f"two contracts declare {name} with different parameters")

    def choose(kernel: KernelType, *args: Any) -> Any:  # runs in Python, at compile time
        return getattr(_CLASSES[kernel.kernel_name], name)

    choose.__signature__ = signature  # type: ignore[attr-defined]
    overload_method(KernelType, name, jit_options=INNER)(choose)
    return method
