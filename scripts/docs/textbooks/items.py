"""Examples and claims of the textbooks with their verdicts: items.toml says them, worked_examples.py and claims/ judge.

An item `perfect-order` is judged by a function `perfect_order` of one of the modules, which counts and says whether
the verdict still holds. What it counted fills the braces in the item's figures.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct, convert

from scripts.docs.textbooks import worked_examples
from scripts.docs.textbooks.claims import games, order, sizes, timed, trees, values
from scripts.docs.textbooks.finding import Changed, Finding
from tabiya.bots.textbook.recording.scenes import SCENES

ITEMS = Path(__file__).parent / "items.toml"
MODULES = (worked_examples, games, order, sizes, timed, trees, values)
VERDICTS = ("reproduced", "true", "true under a condition", "half true", "false as printed")


class Verdict(Struct, frozen=True):
    """word: one of VERDICTS.  figures: what was found, in sentences."""

    word: str
    figures: str


class Item(Struct, frozen=True, forbid_unknown_fields=True):
    """One example or claim.

    source: the text.  says: what it says, in our words.  scene: where one search shows it, which then has both.
    about: what else it is about, where none does.
    verdict: one of VERDICTS.  figures: with names of what is counted in braces.  shown_by: a command besides ours.
    timed: judged from what benchmarks/textbook.py has measured.
    """

    name: str
    source: str
    says: str
    verdict: str
    figures: str
    scene: str = ""
    about: str = ""
    shown_by: str = ""
    timed: bool = False

    @property
    def command(self) -> str:
        """The command that shows it."""
        return self.shown_by or f"python -m scripts.docs.textbooks {self.name}"

    def judge(self) -> Verdict:
        """Count again. Raises Changed unless what the verdict rests on still holds."""
        holds, counted = judges()[self.name]()
        verdict = Verdict(self.verdict, self.figures.format(**counted))
        if not holds:
            raise Changed(f"no longer {verdict.word}: {verdict.figures}")
        return verdict


def judges() -> dict[str, Callable[[], Finding]]:
    """The functions that count, by the names of the items: the public ones of the modules."""
    return {
        name.replace("_", "-"): function
        for module in MODULES
        for name, function in vars(module).items()
        if getattr(function, "__module__", "") == module.__name__ and name.islower() and not name.startswith("_")
    }


def _read(kind: str) -> dict[str, Item]:
    rows: dict[str, Any] = tomllib.loads(ITEMS.read_text("utf-8"))[kind]
    return {name: convert(_item_fields(row) | {"name": name}, Item) for name, row in rows.items()}


def _item_fields(row: dict[str, Any]) -> dict[str, Any]:
    """The row completed from its scene."""
    if "scene" not in row:
        return row
    scene = SCENES[row["scene"]]
    return {"source": scene.text, "says": scene.says} | row


@functools.cache
def examples() -> dict[str, Item]:
    """The worked examples by name."""
    return _read("examples")


@functools.cache
def claims() -> dict[str, Item]:
    """The claims by name."""
    return _read("claims")


def items() -> dict[str, Item]:
    """All of them, by name: examples first."""
    return examples() | claims()
