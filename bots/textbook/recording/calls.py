"""The listing line by line at one visit of a recorded search, with its variables and the calls that led there.

Nothing is searched again: every visit beside the way answers what it answered when it was recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from tabiya.bots.textbook.catalogue import Listing
from tabiya.bots.textbook.instrument import node_parameter
from tabiya.bots.textbook.node import Node
from tabiya.bots.textbook.recording.recording import Recording

Variables = dict[str, int | str]
LONGEST = 60  # characters shown of a variable that is no number


@dataclass(slots=True)
class Line:
    """A line of the listing that is about to run. below: the visits that it makes, in order."""

    number: int
    variables: Variables
    below: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Call:
    """One call of a function of the listing, which is one visit. returned: the line that returned, with its value."""

    visit: int
    function: str
    lines: list[Line] = field(default_factory=list)
    returned: Line | None = None


class Replayed:
    """A node with its moves in the recorded order."""

    def __init__(self, node: Node, order: tuple[str, ...] = ()) -> None:
        """order: the moves; none: the node's own."""
        self.node, self.order = node, order

    def moves(self) -> Iterable[str]:
        """The moves in the recorded order."""
        return self.order or self.node.moves()

    def play(self, move: str) -> Replayed:
        """The position after the move; its order is told when it is visited."""
        return Replayed(self.node.play(move))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.node, name)

    def __repr__(self) -> str:
        return repr(self.node)


def calls_to(
    recording: Recording, visit: int, listing: Listing, root: Node, depth: int, window: tuple[int, int]
) -> list[Call]:
    """The calls from the root to a visit, each from its first line to its last.

    root, depth, window: as `run_listing` took them.  Raises IndexError for a visit that is not there.
    """
    if not 0 <= visit < len(recording):
        raise IndexError(f"the search has the visits 0 to {len(recording) - 1}, not {visit}")
    replay = _Replay(recording, listing, frozenset(recording.path(visit)))
    turned = not listing.of_mover and root.seat == 1
    alpha, beta = (-window[1], -window[0]) if turned else window
    plies = listing.plies(depth)
    replay.run(Replayed(root.rooted(plies)), plies, alpha, beta)
    return replay.calls


class _Replay:
    """Runs the listing along one way."""

    def __init__(self, recording: Recording, listing: Listing, way: frozenset[int]) -> None:
        self._recording, self._listing, self._way = recording, listing, way
        self._open: list[tuple[Call, Iterator[int]]] = []
        self.calls: list[Call] = []
        self._file = listing.module.__file__
        self._searching: frozenset[CodeType] = frozenset(
            getattr(listing.module, name).__code__ for name in listing.functions
        )

    def run(self, root: Replayed, plies: int, alpha: int, beta: int) -> None:
        """Trace the listing's own lines while it runs."""
        before = sys.gettrace()
        functions = self._listing.functions_with(root, self._answering)
        sys.settrace(self._trace)
        try:
            self._listing.call(functions, root, plies, alpha, beta)
        finally:
            sys.settrace(before)

    def _answering(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself on the way, elsewhere the recorded answer."""
        printed = getattr(self._listing.module, name)
        node_at, pairs = node_parameter(printed), "tuple" in printed.__annotations__["return"]

        def answer(*arguments: Any) -> Any:
            visit = next(self._open[-1][1]) if self._open else 0
            if self._open:
                self._open[-1][0].lines[-1].below.append(visit)
            if visit not in self._way and not self._listing.remembers:
                value = self._recording.value[visit]
                return (value, []) if pairs else value
            arguments[node_at].order = self._order(visit)
            call = Call(visit, name)
            if visit in self._way:
                self.calls.append(call)
            self._open.append((call, self._recording.below(visit)))
            try:
                return function(*arguments)
            finally:
                self._open.pop()

        return answer

    def _order(self, visit: int) -> tuple[str, ...]:
        seen = dict.fromkeys(map(self._recording.move_of, self._recording.below(visit)))
        return (*seen, *self._recording.left(visit))

    # --- tracing

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not self._open or frame.f_code.co_filename != self._file:
            return None
        if frame.f_code in self._searching or frame.f_code.co_name.startswith("<"):  # a comprehension's own frame
            return self._line
        return None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        call = self._open[-1][0]
        if event == "line":
            call.lines.append(Line(frame.f_lineno, _variables(frame)))
        elif event == "return" and frame.f_code in self._searching:
            call.returned = Line(frame.f_lineno, _variables(frame) | {"return": _shown(argument)})
        return self._line


def _variables(frame: FrameType) -> Variables:
    """The variables to show: whole numbers as they are, the rest as short texts."""
    outer = frame.f_back if frame.f_code.co_name.startswith("<") else None
    found = dict(outer.f_locals) if outer is not None else {}
    found |= frame.f_locals
    return {name: _shown(value) for name, value in found.items() if name.isidentifier()}


def _shown(value: Any) -> int | str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return value
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], int):
        return f"{value[0]}, {' '.join(value[1])}"  # a value with its moves
    if isinstance(value, Replayed):
        return value.node.move or "root"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {each}" for key, each in value.items())[:LONGEST]
    return str(value)[:LONGEST]
