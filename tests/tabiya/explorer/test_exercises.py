"""A sheet of exercises as it is shown: pictures before and after, answers, and a link that shows them."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from tabiya.bots.textbook.exercises.kinds import KINDS
from tabiya.bots.textbook.exercises.sheet import sheet
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.explorer.exercises import shown_exercise, shown_sheet

SHEET = json.loads(shown_sheet(seed=5, count=12))
TEXT = "{http://www.w3.org/2000/svg}text"


def searches(address: dict[str, Any]) -> list[tuple[SearchQuestion, int]]:
    """The one or two searches that the explorer shows at an address, each with its step."""
    view = {name: value for name, value in address.items() if name.endswith("step")}
    given = {name: value for name, value in address.items() if name not in view and not name.startswith("other_")}
    others = {name.removeprefix("other_"): value for name, value in address.items() if name not in {*view, *given}}
    both = [given, *([given | others] if others else [])]
    steps = [view[name] for name in ("step", "other_step")[: len(both)]]
    assert len(steps) == len(view)
    return [(SearchQuestion(**each).checked(), step) for each, step in zip(both, steps, strict=True)]


@pytest.mark.parametrize("exercise", SHEET["exercises"], ids=lambda exercise: exercise["kind"])
def test_its_link_leads_to_the_end_of_the_searches_that_are_its_solution(exercise: dict[str, Any]) -> None:
    found = searches(exercise["address"])
    assert len(found) == len(exercise["solutions"]) == (2 if exercise["kind"] in ("order", "narrow") else 1)
    for question, step in found:
        recording, _ = question.recorded()
        assert step == recording.steps - 1


def test_the_answers_stand_in_the_pictures_of_the_solution_and_not_in_that_of_the_task() -> None:
    for exercise in SHEET["exercises"]:
        before, after = ({text.text for text in ElementTree.fromstring(picture).iter(TEXT)} for picture in (
            exercise["picture"], "<g>" + "".join(exercise["solutions"]) + "</g>"
        ))  # fmt: skip
        if exercise["kind"] == "windows":
            bounds = [part["answer"] for part in exercise["parts"]]
            for window in (f"[{bounds[0]}, {bounds[1]}]", f"[{bounds[2]}, {bounds[3]}]"):
                assert window in after
                assert window not in before
        leaves = [text for text in before if text and text.removeprefix("\N{MINUS SIGN}").isdecimal()]
        assert len(leaves) == exercise["tree"].count(",") + 1


def test_all_kinds_and_levels_are_named_and_fewer_kinds_are_the_same_exercises() -> None:
    assert [kind["name"] for kind in SHEET["kinds"]] == [kind.name for kind in KINDS]
    assert SHEET["levels"] == [1, 2, 3]
    few = json.loads(shown_sheet(seed=5, count=4, kinds="again, cuts"))["exercises"]
    assert few == [exercise for exercise in SHEET["exercises"] if exercise["kind"] in ("again", "cuts")]


def test_numbers_in_answers_are_set_as_in_the_pictures() -> None:
    exercise = next(one for one in sheet(5, 24) if any(part.answer == "-inf" for part in one.parts))
    answers = [part["answer"] for part in shown_exercise(exercise)["parts"]]
    assert "\N{MINUS SIGN}\N{INFINITY}" in answers
    assert not any("-" in answer or "inf" in answer for answer in answers)
