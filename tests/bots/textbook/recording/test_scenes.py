"""Every scene shows what its book says (shown_scenes.py), as `tabiya analyse` does, and is drawn as it was."""

from __future__ import annotations

import functools

import pytest

from scripts.docs.textbooks.pictures import FOLDER, names, pictures
from tabiya.bots.textbook.analysis import found
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.recording.scenes import SCENES
from tabiya.server.web.schemas.explorer_requests import DifferenceRequest
from tests.bots.textbook.recording.shown_scenes import SHOWN, Search

# those of games need compiled code
NAMES = [pytest.param(name, marks=pytest.mark.slow if scene.question.game else ()) for name, scene in SCENES.items()]


@functools.cache
def searched(question: SearchQuestion) -> Search:
    checked = question.checked()
    return Search(checked, *checked.recorded())


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_shows_what_its_book_says(name: str) -> None:
    SHOWN[name](*map(searched, SCENES[name].questions))


@pytest.mark.parametrize("name", NAMES)
def test_its_values_and_counts_are_those_of_tabiya_analyse(name: str) -> None:
    for question in SCENES[name].questions:
        one = searched(question)
        # twins of the books' own evaluations are not compiled beforehand
        report, _ = found(one.question, as_printed=bool(question.evaluation))
        counted = one.recording.counts(one.recording.steps - 1)
        assert counted == (report.nodes, report.leaves, report.cuts, report.unseen, report.researches)
        assert (one.report.value, one.report.line) == (report.value, report.line)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_drawn_as_its_reference_picture(name: str) -> None:
    for file, picture in pictures(SCENES[name]).items():
        assert picture == (FOLDER / file).read_text("utf-8"), f"{file}: python -m scripts.docs.textbooks.pictures"


def test_every_scene_is_tested_and_has_its_pictures() -> None:
    assert list(SHOWN) == list(SCENES)
    assert {file.name for file in FOLDER.glob("*")} == {name for scene in SCENES.values() for name in names(scene)}


def test_a_link_to_a_scene_says_what_differs_in_the_second_search() -> None:
    assert SCENES["001-sorted"].given() == {
        "algorithm": "001-alphabeta",
        "tree": "001",
        "order": "perfect",
        "other_order": "worst",
    }
    assert SCENES["000-figure"].given() == {"algorithm": "000-alphabeta", "tree": "000"}
    for scene in SCENES.values():
        assert scene.given().keys() <= set(DifferenceRequest.__struct_fields__), scene.name
