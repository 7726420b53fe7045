"""Exercises of all kinds from a seed.

    for exercise in sheet(seed=7, count=6):
        print(exercise.task, [(part.asked, part.answer) for part in exercise.parts])

The same seed makes the same sheet, and a longer sheet begins like a shorter one. Of fewer kinds it has the same ones
without the others. A tree is drawn again until it is worth asking.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count as count_up
from itertools import islice

from tabiya.bots.textbook.exercises.kinds import KINDS, Kind, Part, Questions
from tabiya.bots.textbook.random_trees import different_leaves, ragged_tree, random_tree
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.tree import Tree, parse_tree

MOST_VALUE = 9
# by level: moves and plies of an even tree, leaves of another one
EVEN = {1: (3, 2), 2: (2, 3), 3: (2, 4)}
LEAVES = {1: range(6, 10), 2: range(8, 12), 3: range(12, 17)}


@dataclass(frozen=True, slots=True)
class Exercise:
    """The exercise on one tree.

    kind: its name.  level: 1 is easy, 3 hard.  search, other: the searches that find the answers, shown with them.
    """

    kind: str
    title: str
    level: int
    task: str
    parts: tuple[Part, ...]
    search: SearchQuestion
    other: SearchQuestion | None = None

    @property
    def tree(self) -> Tree:
        """The tree as the exercise shows it."""
        return parse_tree(self.search.tree, int(self.search.min_begins))


def sheet(seed: int, count: int, kinds: Collection[str] = (), level: int = 0) -> tuple[Exercise, ...]:
    """`count` exercises, every kind in turn. Raises ValueError.

    kinds: only these, by name; all if there are none.  level: of all of them, 1 to 3; 0: easy and hard ones mixed.
    """
    known = [kind.name for kind in KINDS]
    if unknown := [name for name in kinds if name not in known]:
        raise ValueError(f"the kinds of exercises are {', '.join(known)}; there is no {unknown[0][:40]!r}")
    if level not in (0, *EVEN):
        raise ValueError(f"the levels of exercises are 1 to {max(EVEN)}, and 0 for all; there is no {level}")
    return tuple(islice(_exercises(seed, kinds or known, level), count))


def _exercises(seed: int, kinds: Collection[str], only: int) -> Iterator[Exercise]:
    for turn in count_up():
        levels = random.Random(f"{seed} {turn}").sample([*EVEN] * 2, len(KINDS))
        for kind, mixed in zip(KINDS, levels, strict=True):
            if kind.name in kinds:
                level = only or mixed
                draw = random.Random(f"{seed} {turn} {kind.title}")
                asked = next(filter(None, _tries(draw, kind, level)))
                yield Exercise(kind.name, kind.title, level, *asked)


def _tries(draw: random.Random, kind: Kind, level: int) -> Iterator[Questions | None]:
    is_even = kind.even or draw.random() < 0.5
    seat = 0 if kind.max_begins or level == 1 else draw.randint(0, 1)
    while True:
        tree = random_tree(draw, *EVEN[level]) if is_even else ragged_tree(draw, 3, level + 1, fewest=2)
        if tree.leaves() in LEAVES[level]:
            different = different_leaves(tree, draw, MOST_VALUE, seat)
            yield kind.ask(draw, SearchQuestion(tree=str(different), min_begins=bool(seat)))
