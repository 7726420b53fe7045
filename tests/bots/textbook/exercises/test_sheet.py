from __future__ import annotations

from collections import Counter

import pytest

from tabiya.bots.textbook.exercises.kinds import KINDS
from tabiya.bots.textbook.exercises.sheet import EVEN, LEAVES, sheet


def test_the_same_seed_makes_the_same_sheet_and_a_longer_one_begins_like_it() -> None:
    assert sheet(7, 9) == sheet(7, 9)
    assert sheet(7, 9)[:4] == sheet(7, 4)
    assert len(sheet(7, 9)) == 9


def test_different_seeds_make_different_sheets() -> None:
    trees = [exercise.search.tree for seed in range(6) for exercise in sheet(seed, 6)]
    assert len(set(trees)) == len(trees)


def test_every_kind_takes_its_turn_and_a_sheet_has_two_of_each_level_at_most() -> None:
    for seed in range(3):
        exercises = sheet(seed, 12)
        assert [exercise.title for exercise in exercises] == 2 * [kind.title for kind in KINDS]
        for six in (exercises[:6], exercises[6:]):
            assert max(Counter(exercise.level for exercise in six).values()) == 2
        assert [exercise.search for exercise in exercises[:6]] != [exercise.search for exercise in exercises[6:]]


def test_harder_trees_are_larger_some_uneven_and_min_begins_in_some() -> None:
    exercises = [exercise for seed in range(5) for exercise in sheet(seed, 6)]
    assert {exercise.level for exercise in exercises} == set(EVEN)
    for exercise in exercises:
        assert exercise.tree.leaves() in LEAVES[exercise.level]
        assert exercise.level > 1 or not exercise.search.min_begins
    assert {exercise.tree.is_even() for exercise in exercises} == {True, False}
    assert {exercise.search.min_begins for exercise in exercises if exercise.level > 1} == {True, False}


def test_each_search_can_be_linked_to_and_asked() -> None:
    for exercise in sheet(3, 6):
        question = exercise.search.checked()
        recording, report = question.recorded()
        assert len(recording) == report.nodes


def test_fewer_kinds_are_the_same_exercises_without_the_others() -> None:
    kinds = ("again", "values")
    whole = [exercise for exercise in sheet(4, 18) if exercise.kind in kinds]
    assert list(sheet(4, len(whole), kinds)) == whole
    assert len(whole) == 6


@pytest.mark.parametrize("level", EVEN)
def test_all_exercises_can_have_one_level(level: int) -> None:
    exercises = sheet(2, 12, level=level)
    assert {exercise.level for exercise in exercises} == {level}
    assert [exercise.kind for exercise in exercises] == 2 * [kind.name for kind in KINDS]


def test_unknown_kinds_and_levels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"kinds of exercises are values, cuts, windows, .*; there is no 'chess'"):
        sheet(1, 1, ["cuts", "chess"])
    with pytest.raises(ValueError, match="levels of exercises are 1 to 3, and 0 for all; there is no 4"):
        sheet(1, 1, level=4)
