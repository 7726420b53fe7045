"""Methods as people write them, in a form that compiles.

The compiler knows no `super()`, only calls functions that are compiled themselves, and calls a kernel's method by its
name alone. So each method is rewritten: `super().evaluate(state)` becomes a call of a name that stands for the method
of the class above, `self.helper(...)` of one that stands for this class's helper, and plain functions of the same file
(or of files beside it) are compiled along. The module itself is left as it is.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

from tabiya.bots.custom_evaluation.code_hash import CannotCompile, CodeHasher, global_names, is_author_code
from tabiya.games.compiled.jit import njit

Function = Callable[..., Any]


def is_author_function(function: object) -> bool:
    """Whether it is a function of an author's file, wherever that lies, not of an installed package."""
    return isinstance(function, types.FunctionType) and is_author_code(function.__code__.co_filename)


class MethodCompiler:
    """Compiled forms of the functions of one author, each made once.

    name_suffix: makes names unique.  helpers: the names of the helper methods.  compiles: false for methods that Python
    calls.  digests: of each method and of all that it depends on.
    """

    def __init__(self, name_suffix: str, helpers: set[str], *, compiles: bool = True) -> None:
        self._name_suffix, self._helpers, self._compiles = name_suffix, helpers, compiles
        self._made: dict[types.FunctionType, Any] = {}
        self._hasher = CodeHasher()
        self.digests: list[str] = []

    def method(self, function: Any, owner: type) -> Any:
        """The compiled form of a method of `owner`. Raises CannotCompile."""
        renamed = {name: f"{name}_{self._name_suffix}" for name in self._helpers}
        rewritten = _rewritten(function, lambda name: self.above(owner, name), renamed)
        if not self._compiles:
            return rewritten
        self.digests.append(f"{owner.__qualname__}.{function.__name__} {self._hasher.of_function(rewritten)}")
        return self._with_helpers(rewritten)

    def above(self, owner: type, name: str) -> str:
        """The name that the compiler knows for the method that `super()` finds from a class."""
        return f"{name}_above_{owner.__name__}_{self._name_suffix}"

    def _with_helpers(self, function: Any) -> Any:
        """The function with copies of its globals and its closure in which the author's functions are compiled ones."""
        seen = dict(function.__globals__)
        for name in sorted(global_names(function.__code__)):
            if is_author_function(seen.get(name)):
                seen[name] = self._helper(seen[name])
        closure = function.__closure__ and tuple(map(self._cell, function.__closure__))
        return _copied(function, function.__code__, seen, closure)

    def _cell(self, cell: types.CellType) -> types.CellType:
        try:
            value = cell.cell_contents
        except ValueError:  # empty
            return cell
        return types.CellType(self._helper(value)) if is_author_function(value) else cell

    def _helper(self, function: Any) -> Any:
        if function not in self._made:
            self._made[function] = None  # what one that calls itself finds
            self._made[function] = njit(self._with_helpers(function))
        found = self._made[function]
        if found is None:
            raise CannotCompile(f"{function.__name__} calls itself, which cannot be compiled; write a loop")
        return found


def _copied(function: Any, code: types.CodeType, seen: dict[str, Any], closure: Any) -> Any:
    """The function with other code, other globals and another closure."""
    made = types.FunctionType(code, seen, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _rewritten(function: Any, above: Callable[[str], str], helpers: dict[str, str]) -> Any:
    around = sorted(set(function.__code__.co_freevars) - {"__class__"})
    if around:
        raise CannotCompile(
            f"{function.__name__} uses {around[0]} of a function around its class; put it into the file itself"
        )
    try:
        lines, first = inspect.getsourcelines(function)
    except OSError as error:
        raise CannotCompile(f"the source of {function.__name__} cannot be read: {error}") from None
    tree = ast.parse(textwrap.dedent("".join(lines)))
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise CannotCompile(f"{function.__name__} is written in a way that cannot be compiled (a lambda?)")
    definition.decorator_list = []
    definition.returns = None
    arguments = definition.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    tree = ast.increment_lineno(_Calls(above, helpers, _self_name(definition)).visit(tree), first - 1)
    space: dict[str, Any] = {}
    exec(compile(tree, function.__code__.co_filename, "exec"), function.__globals__ | {}, space)  # noqa: S102
    made = space[definition.name]
    return _copied(function, made.__code__, function.__globals__, made.__closure__)


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
