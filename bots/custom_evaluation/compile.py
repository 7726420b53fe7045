"""From an author's class to an evaluator for the engine: values clamped, compiled where possible, else called back."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numba

from tabiya.bots.custom_evaluation.clamp import clamp
from tabiya.bots.custom_evaluation.indirect_calls import INDIRECT_METHODS, indirect_evaluator
from tabiya.bots.custom_evaluation.parameter_binding import ParameterBound
from tabiya.bots.custom_evaluation.parameters import ParameterError, Parameters, can_be_parameter
from tabiya.bots.custom_evaluation.python_callback import CALLBACK_METHODS, PythonCallback
from tabiya.bots.custom_evaluation.rewrite import MethodCompiler, attributes_of, methods_of
from tabiya.bots.evaluators.base import Evaluator, bound
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.compiled.cache import is_ours
from tabiya.games.compiled.kernel_types import compiled, is_compiled
from tabiya.games.registry import load_game, names
from tabiya.games.rules import Rules

NUMBERS = itertools.count(1)


def is_foundation_class(one: type) -> bool:
    """Whether a class is one that authors derive from: ours, or Python's.

    All others are hashed by their content: in another folder or package, the next process may find another class.
    """
    if one.__module__.partition(".")[0] in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(one.__module__), "__file__", None)
    return file is not None and is_ours(file)


@dataclass
class CustomEvaluator:
    """An author's class and the evaluators that are compiled from it.

    name_suffix: makes names unique.  in_python: methods that are called in Python, because they do not compile.
    """

    author_class: type[Evaluator]
    name_suffix: str
    in_python: set[str] = field(default_factory=set)
    callbacks: list[PythonCallback] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the author's class."""
        return self.author_class.__name__

    @functools.cached_property
    def classes(self) -> list[type]:
        """The classes to compile: the author's and all others below ours, base classes first."""
        return [one for one in reversed(self.author_class.__mro__) if not is_foundation_class(one)]

    @functools.cached_property
    def base(self) -> type[Evaluator]:
        """The nearest evaluator of ours that the author's class derives from, mostly the game's."""
        return next(one for one in self.author_class.__mro__ if is_foundation_class(one) and issubclass(one, Evaluator))

    @functools.cached_property
    def overridden(self) -> set[str]:
        """The names of the methods that the author has written."""
        return {name for one in self.classes for name in methods_of(one)}

    @property
    def games(self) -> tuple[str, ...]:
        """The registered games whose rules it knows."""
        return tuple(name for name in names() if issubclass(self.author_class, type(load_game(name))))

    @functools.cached_property
    def parameters(self) -> Parameters:
        """The numbers that the author's classes declare. Raises ParameterError for a name that is taken."""
        found = {name: value for name, value in self._attributes.items() if can_be_parameter(value)}
        for name in found:
            if hasattr(self.base, name) or hasattr(ParameterBound, name):
                raise ParameterError(f"{name} of {self.name} is a name that the engine uses; choose another")
        return Parameters(self.name, found)

    @property
    def _attributes(self) -> dict[str, Any]:
        """What the author's classes hold besides methods."""
        return {name: value for one in self.classes for name, value in attributes_of(one).items()}

    def evaluator_of(self, game: Rules, values: Mapping[str, Any] | None = None) -> Evaluator:
        """The evaluator for one of its games. values: of parameters, else the defaults. Raises ParameterError."""
        evaluator = bound(self._evaluator_class, game)
        if isinstance(evaluator, ParameterBound):
            evaluator.give(values or {})
        return evaluator

    def for_engine(self, evaluator: Evaluator, game: Rules) -> Evaluator:
        """The evaluator that the engine uses: one that calls this by address, so that the engine is compiled once.

        The evaluator itself where nothing is compiled, where it hides more of the base than can be linked, or where
        there is more below it than that base. Compiles what is linked; raises what the compiler raises.
        """
        hidden = frozenset(
            name
            for one in self.classes
            for name, value in vars(one).items()
            if not name.startswith("__") and value is not Evaluator.prioritise  # who writes `priority` is given that
        )
        hidden &= frozenset(dir(self.base))
        below = [one for one in self.author_class.__mro__ if one not in self.classes]
        if numba.config.DISABLE_JIT or not hidden <= INDIRECT_METHODS.keys() or below != list(self.base.__mro__):
            return evaluator
        return indirect_evaluator(evaluator, self.base, hidden, game) if hidden else bound(self.base, game)

    def raise_callback_error(self) -> None:
        """Raise what a method that is called in Python has raised since the last time."""
        for callback in self.callbacks:
            error, callback.error = callback.error, None
            if error is not None:
                raise error

    def call_in_python(self, name: str) -> None:
        """From now on call this method in Python."""
        self.in_python.add(name)
        self.__dict__.pop("_evaluator_class", None)

    def compile_again(self, name: str) -> None:
        """From now on compile this method again."""
        self.in_python.discard(name)
        self.__dict__.pop("_evaluator_class", None)

    @functools.cached_property
    def _evaluator_class(self) -> type[Evaluator]:
        """The class that is compiled. Raises CannotCompile."""
        helpers = self._helpers
        methods = MethodCompiler(self.name_suffix, helpers)
        body, current = dict[str, Any](), dict[str, Any]()
        for owner in self.classes:
            for name, function in methods_of(owner).items():
                if name in self.in_python or name.startswith("__"):
                    continue
                before = current.get(name, getattr(self.base, name, None))
                if before is not None:
                    _register(body, methods.above(owner, name), before)
                current[name] = methods.method(function, owner)
        for name, twin in current.items():
            if name in helpers:
                _register(body, f"{name}_{self.name_suffix}", twin)
            elif name == "evaluate":
                _register(body, f"evaluate_{self.name_suffix}", twin)
                body[name] = _clamped(f"evaluate_{self.name_suffix}")
            else:
                body[name] = twin
        for name in self.in_python:
            body[name] = self._callback(name)
        for name in body.keys() & vars(Evaluator).keys():  # the compiler compares them with the contract's
            body[name].__annotations__ = dict(getattr(Evaluator, name).__annotations__)
        layout = str(self.parameters.layout.descr)
        values = hashlib.sha256("\n".join([layout, *sorted(methods.digests)]).encode()).hexdigest()[:16]
        place = f"{self.author_class.__module__}_{values}"
        if self.in_python:  # such code is of this process alone
            place = f"{place}_{os.getpid()}_{next(NUMBERS)}"
        bases: tuple[type, ...] = (self.author_class,)
        if self.parameters.names:
            bases, body = (ParameterBound, *bases), body | {"parameters": self.parameters}
        name = f"{place}.{self.author_class.__qualname__}"  # digests of all its code
        own = {"__module__": place, "kernel_name": classmethod(lambda cls: name)}
        return type(self.author_class.__qualname__, bases, body | own)

    @property
    def _helpers(self) -> set[str]:
        """The author's methods that the engine does not know."""
        return {name for name in self.overridden if not is_compiled(name) and not name.startswith("__")}

    def _callback(self, name: str) -> Any:
        """A compiled method that calls the author's own in Python."""
        python_class = self._python_class(self._ours)

        def method_of(address: int) -> Callable[..., Any]:
            written: Callable[..., Any] = getattr(python_class(address), name)
            return functools.partial(_clamped_answer, written) if name == "evaluate" else written

        callback = PythonCallback(method_of, self.author_class.state, takes_move=name != "evaluate")
        self.callbacks.append(callback)
        return CALLBACK_METHODS[name](callback.pointer)

    def python_instance(self, address: int) -> Any:
        """An object with the author's methods, in Python; the engine's return 0. address: of the parameters."""
        return self._python_class(lambda name: lambda *given: 0)(address)

    def _python_class(self, ours: Callable[[str], Callable[..., Any]]) -> type[_PythonInstance]:
        """The author's class for Python. ours: what `super()` means where nothing of the author's is above."""
        methods = MethodCompiler(self.name_suffix, self._helpers, compiles=False)
        body, current = dict[str, Any](), dict[str, Any]()
        for owner in self.classes:
            for method, function in methods_of(owner).items():
                if not method.startswith("__"):
                    body[methods.above(owner, method)] = current.get(method) or ours(method)
                    current[method] = methods.method(function, owner)
        body |= {f"{method}_{self.name_suffix}": current[method] for method in self._helpers} | current
        body |= self._attributes | {each: _read_from_record(self.parameters, each) for each in self.parameters.names}
        return type(self.name, (_PythonInstance,), body)

    def _ours(self, name: str) -> Callable[..., Any]:
        """A method of ours for Python, where it can be called from there."""
        if name == "evaluate":
            game = load_game(self.games[0])
            evaluator = bound(self.base, game)
            return lambda python_instance, state: evaluation_of(evaluator, state)
        return getattr(self.base, name, None) or _missing(name)


class _PythonInstance:
    """Base of the author's class without the engine's. address: of the parameters."""

    def __init__(self, address: int) -> None:
        self.parameter_address = address


def _read_from_record(parameters: Parameters, name: str) -> property:
    return property(lambda python_instance: parameters.value(parameters.at(python_instance.parameter_address), name))


def _register(body: dict[str, Any], name: str, function: Any) -> None:
    """Have the compiler know a function as a method of this name."""
    twin = types.FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    body[name] = twin if is_compiled(name) else compiled(twin)


def _clamped(name: str) -> Any:
    """An `evaluate` that keeps the author's within what the search takes for an evaluation."""
    space = {"clamp": clamp}
    source = f"def evaluate(self, state):\n    return clamp(self.{name}(state))\n"
    exec(source, space)  # noqa: S102 (our own two lines, with a name in them)
    return space["evaluate"]


def _clamped_answer(evaluate: Callable[[Any], Any], state: Any) -> int:
    return clamp(evaluate(state))


def _missing(name: str) -> Callable[..., Any]:
    def missing(*given: Any) -> Any:
        raise AttributeError(f"there is no {name} above this class")

    return missing
