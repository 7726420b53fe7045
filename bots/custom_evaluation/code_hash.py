"""Digests of code and of the values that it depends on, as the key under which machine code is cached.

Whatever may differ between two runs of one file has to be in it: arrays by all their elements, functions with their
closures and defaults, modules by the attributes that the code uses. A value that cannot be hashed is refused, because
stale machine code is worse than slow code.
"""

from __future__ import annotations

import builtins
import dis
import enum
import hashlib
import sysconfig
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher
from numba.core.types import Type
from numba.experimental.jitclass.base import JitClassType

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    *(ROOT / name for name in ("bots", "games", "tabiya")),
    *{Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")},
)
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), range)


class CannotCompile(Exception):
    """A method cannot be compiled; the message is one sentence."""


def is_author_code(name: str) -> bool:
    """Whether code of this file name is an author's: of no installed package, not Python's nor ours.

    `<string>`, code without a file, is nobody's.
    """
    return not name.startswith("<") and not _is_installed(name)


def global_names(code: types.CodeType) -> set[str]:
    """The global names that code uses, in functions and comprehensions inside it too."""
    found = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*map(global_names, _inner(code)))


def _all_names(code: types.CodeType) -> set[str]:
    """The global names and the names of all attributes that code uses."""
    return set(code.co_names).union(*map(_all_names, _inner(code)))


def _inner(code: types.CodeType) -> list[types.CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def _is_installed(file: str | None) -> bool:
    """Whether a file is no author's: Python's, an installed package's, ours; or there is none."""
    if file is None or file.startswith("<frozen"):
        return True
    path = Path(file).resolve()
    return "site-packages" in path.parts or any(place in path.parents for place in PLACES)


class CodeHasher:
    """Digests of functions and of all that they depend on, each taken once.

    A digest of parts begins with a word for their kind, so that `(1, 2)` and `[1, 2]` differ.
    """

    def __init__(self) -> None:
        self._taken: dict[int, tuple[Any, str]] = {}  # with the value, which keeps its id from being another's
        self._open: list[int] = []

    def of_function(self, function: types.FunctionType) -> str:
        """The digest of a function. Raises CannotCompile, which names the value that cannot be told apart."""
        return self._once(function, self._function)

    def _once(self, value: Any, take: Callable[[Any], str]) -> str:
        """The digest of a value, taken once; for a value inside itself, how many levels up it is."""
        if id(value) in self._open:
            return f"above {self._open[::-1].index(id(value))}"
        if id(value) not in self._taken:
            self._open.append(id(value))
            try:
                self._taken[id(value)] = value, take(value)
            finally:
                self._open.pop()
        return self._taken[id(value)][1]

    def _function(self, function: types.FunctionType) -> str:
        code = function.__code__
        named = sorted(global_names(code))
        values = [self._named(name, function.__globals__, _all_names(code)) for name in named]
        cells = [
            self._named_value(name, cell, _all_names(code))
            for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        ]
        defaults = [self._of(each) for each in (function.__defaults__, function.__kwdefaults__)]
        return _digest("function", self._of(code), *named, *values, *cells, *defaults)

    def _named(self, name: str, space: dict[str, Any], asked: set[str]) -> str:
        if name in space:
            return self._named_value(name, types.CellType(space[name]), asked)
        return "built in" if hasattr(builtins, name) else "nowhere"

    def _named_value(self, name: str, cell: types.CellType, asked: set[str]) -> str:
        """The digest of a named value. asked: the attributes that the code may use of it if it is a module."""
        try:
            value = cell.cell_contents
        except ValueError:
            return "empty"
        try:
            return self._module(value, asked) if isinstance(value, types.ModuleType) else self._of(value)
        except CannotCompile as error:
            raise CannotCompile(f"{name}: {error}") from None

    def _module(self, module: types.ModuleType, asked: set[str]) -> str:
        """The digest of the attributes that code uses of a module; of an installed one, only of their kinds."""
        if id(module) in self._open:
            return "module above"
        self._open.append(id(module))
        installed, found = _is_installed(getattr(module, "__file__", None)), [module.__name__]
        try:
            for name in sorted(asked & vars(module).keys()):
                try:
                    found += [name, self._named_value(name, types.CellType(vars(module)[name]), asked)]
                except CannotCompile:
                    if not installed:
                        raise
                    found += [name, _kind(vars(module)[name])]
        finally:
            self._open.pop()
        return _digest("module", *found)

    def _of(self, value: Any) -> str:
        """The digest of any value. Raises CannotCompile."""
        if type(value) in PLAIN or isinstance(value, np.dtype | Type):
            return _digest(_kind(value), repr(value))
        take = next((take for kind, take in self._hash_methods() if isinstance(value, kind)), None)
        if take is None:
            raise CannotCompile(f"a {type(value).__name__} cannot be used in compiled code")
        return self._once(value, take)

    def _hash_methods(self) -> Iterable[tuple[Any, Callable[[Any], str]]]:
        """Types and how values of them are hashed; the first that fits is taken."""
        return (
            (np.ndarray | np.generic, self._array),
            (enum.Enum, lambda value: _digest(_kind(value), value.name, self._of(value.value))),
            (tuple | list, lambda value: _digest(_kind(value), _fields(value), *map(self._of, value))),
            (set | frozenset, lambda value: _digest(_kind(value), *sorted(map(self._of, value)))),
            (dict, lambda value: _digest(_kind(value), *(self._of(part) for pair in value.items() for part in pair))),
            (types.CodeType, self._code),
            (CPUDispatcher, self._compiled),
            (types.FunctionType, self._plain_function),
            (types.MethodType, self._method),
            (type, self._class),
            (np.ufunc, self._ufunc),
            (types.BuiltinFunctionType | types.MethodDescriptorType | type(np.dot), _by_name),
        )

    def _array(self, value: Any) -> str:
        if value.dtype.hasobject:
            raise CannotCompile("an array of objects cannot be used in compiled code")
        return _digest(_kind(value), repr(value.dtype), repr(value.shape), hashlib.sha256(value.tobytes()).hexdigest())

    def _code(self, code: types.CodeType) -> str:
        """The digest of what code does, without its file and lines."""
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        return _digest("code", code.co_code.hex(), repr(names), repr(counts), *map(self._of, code.co_consts))

    def _compiled(self, dispatcher: Any) -> str:
        """The digest of a function decorated with njit. One with its own cache is refused: that may be stale."""
        function = dispatcher.py_func
        if dispatcher.stats.cache_path is not None and not _is_installed(function.__code__.co_filename):
            raise CannotCompile(f"{function.__name__} is compiled with cache=True, which may be stale; leave that out")
        return _digest("compiled", repr(dispatcher.targetoptions), self._plain_function(dispatcher.py_func))

    def _plain_function(self, function: types.FunctionType) -> str:
        """The digest of a function; of an installed one, of its name, defaults and closure."""
        if not _is_installed(function.__code__.co_filename):
            return self._function(function)
        cells = [self._named_value(function.__name__, cell, set()) for cell in function.__closure__ or ()]
        return _digest("installed", _by_name(function), self._of(function.__defaults__), *cells)

    def _method(self, method: types.MethodType) -> str:
        """The digest of a bound method: of one of `random`, the only ones that the compiler knows."""
        function = method.__func__
        if not isinstance(function, types.FunctionType) or not _is_installed(function.__code__.co_filename):
            raise CannotCompile(f"the method {method.__name__} of an object cannot be used in compiled code")
        return _by_name(function)

    def _ufunc(self, function: np.ufunc) -> str:
        if getattr(np, function.__name__, None) is not function:
            raise CannotCompile(f"{function.__name__} is not one of NumPy's array functions")
        return _digest("ufunc", function.__name__)

    def _class(self, value: type) -> str:
        """The digest of a class: its name, fields of a named tuple, members of an enumeration."""
        if isinstance(value, JitClassType):
            raise CannotCompile(f"the compiled class {value.__name__} cannot be used here")
        members = value.__members__.values() if issubclass(value, enum.Enum) else ()
        return _digest("class", _by_name(value), _fields(value), *map(self._of, members))


def _by_name(value: Any) -> str:
    return f"{_kind(value)} {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"


def _fields(value: object) -> str:
    """The fields of a named tuple, as text; of anything else `()`."""
    return repr(getattr(value, "_fields", ()))


def _kind(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _digest(*parts: str) -> str:
    found = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        found.update(len(encoded).to_bytes(8, "little") + encoded)
    return found.hexdigest()
