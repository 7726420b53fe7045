"""Watching a listing at work without a line about it in the listing.

`copied` copies the functions of a listing into a namespace of their own, in which every call among them is wrapped,
for example to notify an observer. The listing itself is unchanged: by itself it runs exactly as printed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Protocol

from tabiya.bots.textbook.node import INFINITY, Node

# a function's name and its copy -> its replacement
Wrap = Callable[[str, Callable[..., Any]], Callable[..., Any]]


class Observer(Protocol):
    """Gets these calls, in this order: enter, then the same for the nodes below, cut if there was one, leave."""

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        """A node is searched with this window, from the listing's view; without one it is -INFINITY to INFINITY."""

    def leave(self, node: Node, value: int) -> None:
        """The node is done; its value, from the listing's view."""

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        """After `move` the moves `left` were cut off. Called before `leave`."""


class CompositeObserver:
    """Several observers as one: each gets every call."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._observers = tuple(observers)

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        """Tell all."""
        for observer in self._observers:
            observer.enter(node, alpha, beta)

    def leave(self, node: Node, value: int) -> None:
        """Tell all."""
        for observer in self._observers:
            observer.leave(node, value)

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        """Tell all."""
        for observer in self._observers:
            observer.cut(node, move, left)


@dataclass(slots=True)
class CallNotifier:
    """Wraps the functions of a listing to notify an observer of each call; knows which node is below which."""

    observer: Observer
    visited: list[list[str]] = field(default_factory=list)  # by open node: the moves below it that were looked at

    def wrap(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function wrapped to notify the observer. Node and window are found by the names of its parameters."""
        parameters, node_at = list(inspect.signature(function).parameters), node_parameter(function)
        alpha_at = parameters.index("alpha") if "alpha" in parameters else None

        def observed(*arguments: Any) -> Any:
            node: Node = arguments[node_at]
            window = (-INFINITY, INFINITY) if alpha_at is None else arguments[alpha_at : alpha_at + 2]
            if self.visited:
                self.visited[-1].append(node.move)
            self.visited.append([])
            self.observer.enter(node, *window)
            result = function(*arguments)
            seen = self.visited.pop()
            left = [move for move in node.moves() if move not in seen] if seen else []
            if left:
                self.observer.cut(node, seen[-1], left)
            self.observer.leave(node, result[0] if isinstance(result, tuple) else result)
            return result

        return observed


def node_parameter(function: Callable[..., Any]) -> int:
    """Which argument of a listing's function is the node."""
    names = ("b", "p", "P", "state")
    return next(at for at, name in enumerate(inspect.signature(function).parameters) if name in names)


def copied(module: ModuleType, names: Sequence[str], wrap: Wrap) -> Mapping[str, Callable[..., Any]]:
    """The functions of a listing's module by name, copied so that each call of one of `names` goes through `wrap`."""
    namespace = dict(vars(module))
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ == module.__name__:
            copy = FunctionType(function.__code__, namespace, name, function.__defaults__, function.__closure__)
            namespace[name] = wrap(name, copy) if name in names else copy
    return namespace
