"""Exercises of all kinds from a seed.

    for exercise in sheet(seed=7, count=6):
        print(exercise.task, [(part.asked, part.answer) for part in exercise.parts])

The same seed makes the same sheet, and a longer sheet begins like a shorter one. A tree is drawn again until it is
worth asking.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count as count_up
from itertools import islice

from tabiya.bots.textbook.exercises.kinds import KINDS, Asked, Kind, Part
from tabiya.bots.textbook.random_trees import different_leaves, ragged_tree, random_tree
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.tree import Tree, parse_tree

MOST_VALUE = 9
# by level: moves and plies of an even tree, leaves of another one
EVEN = {1: (3, 2), 2: (2, 3), 3: (2, 4)}
LEAVES = {1: range(6, 10), 2: range(8, 12), 3: range(12, 17)}


@dataclass(frozen=True, slots=True)
class Exercise:
    """What is asked of one tree. level: 1 is easy, 3 hard.  search: what finds the answers, to be shown with them."""

    title: str
    level: int
    task: str
    parts: tuple[Part, ...]
    search: SearchQuestion

    @property
    def tree(self) -> Tree:
        """The tree as the exercise shows it."""
        return parse_tree(self.search.tree, int(self.search.min_begins))


def sheet(seed: int, count: int) -> tuple[Exercise, ...]:
    """`count` exercises: every kind in turn, easy and hard ones mixed."""
    return tuple(islice(_exercises(seed), count))


def _exercises(seed: int) -> Iterator[Exercise]:
    for turn in count_up():
        levels = random.Random(f"{seed} {turn}").sample([*EVEN] * 2, len(KINDS))
        for kind, level in zip(KINDS, levels, strict=True):
            draw = random.Random(f"{seed} {turn} {kind.title}")
            asked = next(filter(None, _tries(draw, kind, level)))
            yield Exercise(kind.title, level, *asked)


def _tries(draw: random.Random, kind: Kind, level: int) -> Iterator[Asked | None]:
    is_even = kind.even or draw.random() < 0.5
    seat = 0 if kind.max_begins or level == 1 else draw.randint(0, 1)
    while True:
        tree = random_tree(draw, *EVEN[level]) if is_even else ragged_tree(draw, 3, level + 1, fewest=2)
        if tree.leaves() in LEAVES[level]:
            different = different_leaves(tree, draw, MOST_VALUE, seat)
            yield kind.ask(draw, SearchQuestion(tree=str(different), min_begins=bool(seat)))
