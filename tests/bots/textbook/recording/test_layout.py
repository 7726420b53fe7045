"""Placing boxes of a tree: nothing overlaps, parents stand in the middle, and left is no better than right."""

from __future__ import annotations

import itertools
import random

import pytest

from tabiya.bots.textbook.recording.layout import Box, place

GAP = 5.0


def random_box(draw: random.Random, depth: int) -> Box:
    below = [random_box(draw, depth - 1) for _ in range(draw.randint(0, 4))] if depth else []
    return Box(float(draw.randint(4, 60)), below)


def mirrored(box: Box) -> Box:
    return Box(box.width, [mirrored(below) for below in reversed(box.below)])


TREES = [random_box(random.Random(seed), 5) for seed in range(30)]


@pytest.mark.parametrize("tree", TREES)
def test_boxes_of_a_row_stand_in_order_and_apart(tree: Box) -> None:
    width, rows = place(tree, GAP)
    by_row: dict[int, list[Box]] = {row: [] for row in range(rows)}
    for box in tree.all():
        by_row[box.row].append(box)
        assert box.x - box.width / 2 >= -1e-6
        assert box.x + box.width / 2 <= width + 1e-6
    for boxes in by_row.values():
        assert boxes
        for left, right in itertools.pairwise(boxes):
            assert left.x + left.width / 2 + GAP <= right.x - right.width / 2 + 1e-6


@pytest.mark.parametrize("tree", TREES)
def test_a_parent_stands_in_the_middle_of_its_children_one_row_above(tree: Box) -> None:
    place(tree, GAP)
    for box in tree.all():
        if box.below:
            assert box.x == pytest.approx((box.below[0].x + box.below[-1].x) / 2)
            assert {below.row for below in box.below} == {box.row + 1}


@pytest.mark.parametrize("tree", TREES)
def test_the_mirrored_tree_has_the_mirrored_drawing(tree: Box) -> None:
    other = mirrored(tree)
    width, rows = place(tree, GAP)
    assert place(other, GAP) == pytest.approx((width, rows))
    assert sorted(width - box.x for box in tree.all()) == pytest.approx(sorted(box.x for box in other.all()))


def test_children_stand_as_near_as_they_can() -> None:
    tree = Box(10, [Box(20), Box(30)])
    assert place(tree, GAP) == (20 + GAP + 30, 2)
    assert [box.x for box in tree.below] == [10, 40]


def test_a_narrow_subtree_between_wide_ones_stands_in_the_middle() -> None:
    wide = [Box(10, [Box(10), Box(10), Box(10), Box(10)]) for _ in range(2)]
    tree = Box(10, [wide[0], Box(10), wide[1]])
    place(tree, GAP)
    assert tree.below[1].x == pytest.approx((wide[0].x + wide[1].x) / 2)
