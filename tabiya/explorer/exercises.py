"""A sheet of exercises as a page shows it: `shown_sheet(seed=7, count=6)`."""

from __future__ import annotations

import json
from typing import Any

from tabiya.bots.textbook.exercises.kinds import KINDS
from tabiya.bots.textbook.exercises.sheet import EVEN, Exercise, sheet
from tabiya.bots.textbook.recording.explanation import Explanation
from tabiya.bots.textbook.recording.picture import tree_picture, typeset

USUAL_COUNT = 6


def shown_sheet(seed: int = 1, count: int = USUAL_COUNT, level: int = 0, kinds: str = "") -> bytes:
    """The exercises of a sheet, and which kinds and levels there are, as JSON. Raises ValueError.

    kinds: only these, their names with commas between them.  level: of all of them; 0: easy and hard ones.
    """
    names = [name.strip() for name in kinds.split(",") if name.strip()]
    exercises = [shown_exercise(exercise) for exercise in sheet(seed, count, names, level)]
    known = [{"name": kind.name, "title": kind.title} for kind in KINDS]
    return json.dumps({"kinds": known, "levels": list(EVEN), "exercises": exercises}).encode()


def shown_exercise(exercise: Exercise) -> dict[str, Any]:
    """What is asked and answered, the tree before and after as SVG, and what the explorer's address says to show it.

    solutions: a picture of each search that shows the answers.
    """
    searches = [Explanation.of(question) for question in (exercise.search, exercise.other) if question is not None]
    steps = [search.recording.steps - 1 for search in searches]
    ends = dict(zip(("step", "other_step"), steps, strict=False))
    return {
        "kind": exercise.kind,
        "title": exercise.title,
        "level": exercise.level,
        "task": exercise.task,
        "parts": [{"asked": part.asked, "answer": typeset(part.answer)} for part in exercise.parts],
        "tree": exercise.search.tree,
        "picture": tree_picture(exercise.tree),
        "solutions": [search.svg() for search in searches],
        "address": exercise.search.given(exercise.other) | ends,
    }
