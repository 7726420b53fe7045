"""The file of a run: its terms in the first line, and a line more for each iteration that is over.

A line is on the disk before the next iteration begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from tabiya.match.growing_file import GrowingFile
from tabiya.match.participants import MatchFailed
from tabiya.server.ratings.pairs import Counts, Pairs
from tabiya.tuning.spsa import Values
from tabiya.tuning.terms import Terms

FORMAT = 1


class Header(Struct, frozen=True):
    """The first line."""

    tabiya_tune: int
    terms: Terms


class Iteration(Struct, frozen=True):
    """An iteration that is over. number: from 0.  values: after it.  pairs: counts by the points of the plus side."""

    number: int
    values: Values
    pairs: Counts


class TuningState(GrowingFile):
    """A run so far, and its file."""

    command = "tune"

    def __init__(self, path: Path, terms: Terms) -> None:
        """Begin a run, or go on with the one in the file. Raises MatchFailed for one of other terms, OSError."""
        self.terms, self.iterations = terms, list[Iteration]()
        super().__init__(path, Header(FORMAT, terms))

    @property
    def values(self) -> Values:
        """The present ones."""
        return self.iterations[-1].values if self.iterations else self.terms.start

    @property
    def pairs(self) -> Pairs:
        """All pairs so far, by the points of the plus sides."""
        counts = zip(*(iteration.pairs for iteration in self.iterations), strict=True)
        return Pairs(tuple(map(sum, counts))) if self.iterations else Pairs()  # type: ignore[arg-type]

    @property
    def is_over(self) -> bool:
        """Whether the last iteration is played."""
        return len(self.iterations) >= self.terms.gains.iterations

    def add(self, values: Values, pairs: Pairs) -> None:
        """Keep an iteration that is over; when this returns it is on the disk. Raises OSError."""
        iteration = Iteration(len(self.iterations), values, pairs.counts)
        self._add(iteration, on_disk=True)
        self.iterations.append(iteration)

    def _terms_differ(self, earlier: Header) -> str:
        changed = ", ".join(self.terms.changed_from(earlier.terms))
        return f"belongs to a run with other options ({changed}), and these must stay the same"

    def _read(self, lines: Iterator[bytes]) -> None:
        self.iterations += [self._iteration(number, line) for number, line in enumerate(lines)]

    def _iteration(self, number: int, line: bytes) -> Iteration:
        try:
            found = msgspec.json.decode(line, type=Iteration)
        except msgspec.MsgspecError as error:
            raise MatchFailed(f"line {number + 2} of {self.path} cannot be read: {error}") from None
        if found.number != number or len(found.values) != len(self.terms.parameters):
            raise MatchFailed(
                f"line {number + 2} of {self.path} is not iteration {number + 1}: the file was changed or damaged"
            )
        return found
