"""Methods as people write them, in a form that compiles.

The compiler knows no `super()`, only calls functions that are compiled themselves, and calls a kernel's method by its
name alone. So a method gets a twin: `super().evaluate(state)` becomes a call of a name that stands for the method of
the class above, `self.helper(...)` of one that stands for this class's helper, and plain functions of the same file (or
of files beside it) are compiled along. The module itself is left as it is.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from games.compiled.jit import njit

Function = Callable[..., Any]


class Unfit(Exception):
    """A method that cannot even be prepared; the message is one sentence."""


def is_own(function: object, folder: Path) -> bool:
    """Whether it is a function of a file in this folder or below, not of an installed package."""
    if not isinstance(function, types.FunctionType):
        return False
    file = Path(function.__code__.co_filename).resolve()
    return folder in file.parents and "site-packages" not in file.parts


class Twins:
    """Twins of the functions of one author, each made once.

    folder: of the author's file.  mark: makes names unique.  helpers: the names of the helper methods.  compiles: false
    for twins that Python calls.  values: what the code takes from outside it: part of its identity.
    """

    def __init__(self, folder: Path, mark: str, helpers: set[str], *, compiles: bool = True) -> None:
        self._folder, self._mark, self._helpers, self._compiles = folder, mark, helpers, compiles
        self._made: dict[types.FunctionType, Any] = {}
        self.values: list[str] = []

    def method(self, function: Any, owner: type) -> Any:
        """The twin of a method of `owner`. Raises Unfit."""
        renamed = {name: f"{name}_{self._mark}" for name in self._helpers}
        rewritten = _rewritten(function, lambda name: self.above(owner, name), renamed)
        return self._with_helpers(rewritten) if self._compiles else rewritten

    def above(self, owner: type, name: str) -> str:
        """What the compiler knows a method by that `super()` means in a class."""
        return f"{name}_above_{owner.__name__}_{self._mark}"

    def _with_helpers(self, function: Any) -> Any:
        """The function with a copy of its globals in which the author's functions are compiled ones."""
        seen = dict(function.__globals__)
        twin = types.FunctionType(
            function.__code__, seen, function.__name__, function.__defaults__, function.__closure__
        )
        for name in sorted(_names(function.__code__)):
            value = seen.get(name)
            if is_own(value, self._folder):
                seen[name] = self._helper(value)
            elif name in seen and not isinstance(value, type | types.ModuleType) and not callable(value):
                self.values.append(f"{name}={_identity(value)}")
        return twin

    def _helper(self, function: Any) -> Any:
        if function not in self._made:
            self._made[function] = None  # one that calls itself finds its twin below
            twin = self._with_helpers(function)
            compiled = njit(twin)
            twin.__globals__[function.__name__] = compiled
            self._made[function] = compiled
        found = self._made[function]
        if found is None:
            raise Unfit(f"{function.__name__} calls itself by way of another function")
        return found


def _identity(value: Any) -> str:
    """What tells values apart: arrays by all of their elements."""
    content = getattr(value, "tobytes", None)
    return f"{value.dtype}{value.shape}{content().hex()}" if content is not None else repr(value)


def _names(code: types.CodeType) -> set[str]:
    """The global names that code may use, in functions and comprehensions inside it too."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*(_names(one) for one in inner))


def _rewritten(function: Any, above: Callable[[str], str], helpers: dict[str, str]) -> Any:
    try:
        lines, first = inspect.getsourcelines(function)
    except OSError as error:
        raise Unfit(f"the source of {function.__name__} cannot be read: {error}") from None
    tree = ast.parse(textwrap.dedent("".join(lines)))
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise Unfit(f"{function.__name__} is written in a way that cannot be compiled (a lambda?)")
    definition.decorator_list = []
    definition.returns = None
    arguments = definition.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    tree = ast.increment_lineno(_Calls(above, helpers, _self_name(definition)).visit(tree), first - 1)
    space: dict[str, Any] = {}
    exec(compile(tree, function.__code__.co_filename, "exec"), function.__globals__ | {}, space)  # noqa: S102
    made = space[definition.name]
    return types.FunctionType(
        made.__code__, function.__globals__, function.__name__, function.__defaults__, made.__closure__
    )


def _self_name(definition: ast.FunctionDef) -> str:
    return definition.args.args[0].arg if definition.args.args else ""


class _Calls(ast.NodeTransformer):
    """`super().m(...)` and `self.helper(...)` by the names that the compiler knows."""

    def __init__(self, above: Callable[[str], str], helpers: dict[str, str], self_name: str) -> None:
        self._above, self._helpers, self._self = above, helpers, self_name

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Calls through `self` and `super()`; all else is left alone."""
        self.generic_visit(node)
        value = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "super":
            me = ast.copy_location(ast.Name(self._self, ast.Load()), value)
            return ast.copy_location(ast.Attribute(me, self._above(node.attr), node.ctx), node)
        if isinstance(value, ast.Name) and value.id == self._self and node.attr in self._helpers:
            return ast.copy_location(ast.Attribute(value, self._helpers[node.attr], node.ctx), node)
        return node


def methods_of(owner: type) -> dict[str, Any]:
    """The plain methods that a class defines itself."""
    return {name: value for name, value in vars(owner).items() if isinstance(value, types.FunctionType)}


def attributes_of(owner: type) -> dict[str, Any]:
    """What a class defines besides plain methods."""
    methods = methods_of(owner)
    return {name: value for name, value in vars(owner).items() if name not in methods and not name.startswith("__")}
