"""What a bounded picture shows: the marked nodes always, the others level by level, everything if there is room."""

from __future__ import annotations

import random
from collections.abc import Collection

import pytest

from tabiya.bots.textbook.random_trees import ragged_tree, random_tree
from tabiya.bots.textbook.recording.explanation import Explanation, explain
from tabiya.bots.textbook.recording.folding import opened_nodes
from tabiya.bots.textbook.recording.recording import Recording


def shown(recording: Recording, marked: Collection[int], most: int) -> set[int]:
    opened = opened_nodes(recording, marked, most)
    return {0}.union(*(below.visits for below in opened.values()))


def large(algorithm: str = "alphabeta-failhard", width: int = 5, depth: int = 5) -> Explanation:
    return explain(str(random_tree(random.Random(3), width, depth)), algorithm)


def test_a_small_search_is_shown_whole() -> None:
    for seed in range(10):
        recording = explain(str(ragged_tree(random.Random(seed), 4, 4)), "minimax").recording
        assert shown(recording, (), 10_000) == set(range(len(recording)))


@pytest.mark.parametrize("most", [10, 50, 200])
def test_a_large_search_takes_no_more_places_than_there_are(most: int) -> None:
    recording = large().recording
    assert len(recording) > 400
    opened = opened_nodes(recording, (), most)
    assert most - 10 <= 1 + sum(below.size for below in opened.values()) <= most


def test_levels_are_shown_from_the_top_and_from_the_left() -> None:
    recording = large("minimax").recording
    visits = shown(recording, (), 60)
    whole = {visit for visit, ply in enumerate(recording.ply) if ply <= 2}
    assert whole < visits
    deepest = [visit for visit, ply in enumerate(recording.ply) if ply == 3]
    assert visits - whole == set(deepest[: len(visits - whole)])


def test_what_is_marked_is_always_shown() -> None:
    recording = large("minimax").recording
    way = recording.path(len(recording) - 1)
    assert len(way) == 6
    assert set(way) <= shown(recording, frozenset(way), 30)


def test_of_many_children_some_are_shown_and_the_others_counted() -> None:
    recording = explain(list(range(100)), "minimax").recording
    opened = opened_nodes(recording, frozenset({0, 70}), 200)[0]
    assert opened.visits == [*range(1, 12), 70]
    assert opened.more == 88


def test_many_moves_that_were_cut_off_take_one_place() -> None:
    recording = explain([5, [1, *range(30)]], "alphabeta-failhard").recording
    below = opened_nodes(recording, (), 100)[2]
    assert (below.visits, below.left, below.named, below.size) == ([3], 30, False, 2)
    few = explain([5, [1, 2, 3]], "alphabeta-failhard").recording
    assert opened_nodes(few, (), 100)[2].size == 3
