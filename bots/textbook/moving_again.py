"""Printed listings where a player may move again.

Every listing assumes that the seats alternate: negamax negates window and value, the pairs of functions call one
another. Where the same seat moves again, the call is corrected on its way, so that no line of a listing changes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tabiya.bots.textbook.instrument import Wrap, node_parameter
from tabiya.bots.textbook.node import Node

Function = Callable[..., Any]


@dataclass(slots=True)
class MovingAgain:
    """Corrects the calls of one search. names: the functions that search a node.

    of_mover: their values are for the side to move, not for Max.  by_seat: there is one for each seat, in this order.
    """

    names: tuple[str, ...]
    of_mover: bool
    by_seat: bool
    _functions: dict[str, Function] = field(default_factory=dict)
    _seats: list[int] = field(default_factory=list)  # to move at the nodes that are open

    def around(self, wrap: Wrap) -> Wrap:
        """`wrap`, with the calls corrected before they reach it."""

        def wrapped(name: str, function: Function) -> Function:
            self._functions[name] = wrap(name, function)
            return self._of(name, node_parameter(function), inspect.signature(function).parameters)

        return wrapped

    def _of(self, name: str, node_at: int, parameters: Mapping[str, Any]) -> Function:
        turn = functools.partial(_turned, list(parameters))

        def called(*arguments: Any) -> Any:
            node: Node = arguments[node_at]
            again = bool(self._seats) and self._seats[-1] == node.seat
            self._seats.append(node.seat)
            try:
                if self.by_seat:
                    return self._functions[self.names[node.seat]](*arguments)
                if again and self.of_mover:
                    return -self._functions[name](*turn(arguments))
                return self._functions[name](*arguments)
            finally:
                self._seats.pop()

        return called


def _turned(parameters: list[str], arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments of a call as they were before the listing turned them."""
    given = dict(zip(parameters, arguments, strict=True))
    if "alpha" in given:
        given["alpha"], given["beta"] = -given["beta"], -given["alpha"]
    if "color" in given:
        given["color"] = 1 - given["color"]
    return list(given.values())
