"""Examples and claims with their verdicts: what a module of this folder registers, and how it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from msgspec import Struct


class Word(StrEnum):
    """A verdict in a word."""

    REPRODUCED = "reproduced"
    TRUE = "true"
    CONDITION = "true under a condition"
    HALF = "half true"
    FALSE = "false as printed"


class Verdict(Struct, frozen=True):
    """word: one of `Word`.  figures: what was found, in sentences."""

    word: str
    figures: str


class Changed(AssertionError):
    """A verdict that was written down does not hold any more."""


def judged(word: Word, holds: bool, figures: str) -> Verdict:
    """The verdict `word`. Raises Changed unless what it rests on still holds."""
    if not holds:
        raise Changed(f"no longer {word}: {figures}")
    return Verdict(word.value, figures)


def reproduced(holds: bool, figures: str) -> Verdict:
    """The example comes out as in the text."""
    return judged(Word.REPRODUCED, holds, figures)


Judge = Callable[[], Verdict]


@dataclass(frozen=True, slots=True)
class Item:
    """One example or claim. source: the text.  says: what it says, in our words.  shown_by: a command besides ours."""

    name: str
    source: str
    says: str
    judge: Judge
    shown_by: str = ""
    timed: bool = False

    @property
    def command(self) -> str:
        """The command that shows it."""
        return self.shown_by or f"python -m scripts.docs.textbooks {self.name}"


EXAMPLES: dict[str, Item] = {}
CLAIMS: dict[str, Item] = {}


def example(name: str, source: str, says: str, shown_by: str = "") -> Callable[[Judge], Judge]:
    """Register a worked example."""
    return _register(EXAMPLES, name, source, says, shown_by, timed=False)


def claim(name: str, source: str, says: str, shown_by: str = "", *, timed: bool = False) -> Callable[[Judge], Judge]:
    """Register a claim. timed: it is judged from what benchmarks/textbook.py has measured."""
    return _register(CLAIMS, name, source, says, shown_by, timed)


def _register(
    items: dict[str, Item], name: str, source: str, says: str, shown_by: str, timed: bool
) -> Callable[[Judge], Judge]:
    def keep(judge: Judge) -> Judge:
        if name in items:
            raise ValueError(f"{name} is registered twice")
        items[name] = Item(name, source, says, judge, shown_by, timed)
        return judge

    return keep


def items() -> dict[str, Item]:
    """All of them, by name: examples first."""
    from scripts.docs.textbooks import (
        claims_games,
        claims_order,
        claims_sizes,
        claims_timed,
        claims_trees,
        claims_values,
        examples,
    )

    assert all((claims_games, claims_order, claims_sizes, claims_timed, claims_trees, claims_values, examples))
    return EXAMPLES | CLAIMS
