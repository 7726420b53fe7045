"""What a thread is busy with is put off by the others, once, and searched by them in the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from bots.engine.engine import Engine
from bots.engine.memory import memory_type
from bots.engine.sharing import SHARED_DEPTH, clear_mark, next_free, set_mark
from bots.engine.table import BEHIND, BUCKET, MARKS, new_table
from bots.players.catalogue import brain_for
from bots.search.work import new_record
from games.registry import load_game

KEY = np.uint64(0x1234_5678_9ABC_DEF0)
PLY = 2
MOVES, SCORES = (10, 11, 12, 13, 14), (5, 40, 30, 20, 10)
IN_ORDER = [11, 12, 13, 14, 10]


@njit  # type: ignore[untyped-decorator]
def order_of(work: Any, table: Any, key: Any, depth: Any, ply: Any, count: Any, order: Any, scores: Any) -> None:
    for i in range(count):
        order[i] = next_free(work, table, key, depth, ply, i, count)
        scores[i] = work.scores[ply][i]


@njit  # type: ignore[untyped-decorator]
def mark(work: Any, table: Any, key: Any, depth: Any, i: Any, move: Any) -> None:
    set_mark(work, table, key, depth, i, move)


@njit  # type: ignore[untyped-decorator]
def unmark(work: Any, table: Any, key: Any, depth: Any, i: Any, move: Any) -> None:
    clear_mark(work, table, key, depth, i, move)


class Node:
    """A node with five moves, as one of several threads sees it."""

    def __init__(self, threads: int = 2) -> None:
        self.work, self.table = new_record(memory_type(8)), new_table(0)
        self.work.threads = threads

    def order(self, depth: int = SHARED_DEPTH) -> list[int]:
        """The moves as they come; each with its own score."""
        self.work["moves"][PLY][: len(MOVES)], self.work["scores"][PLY][: len(MOVES)] = MOVES, SCORES
        found, scores = np.zeros(len(MOVES), np.int64), np.zeros(len(MOVES), np.int64)
        order_of(self.work, self.table, KEY, depth, PLY, len(MOVES), found, scores)
        assert dict(zip(found, scores, strict=True)) == dict(zip(MOVES, SCORES, strict=True))
        return [int(move) for move in found]

    def busy(self, *moves: int, depth: int = SHARED_DEPTH, i: int = 1) -> None:
        """Another thread begins with these."""
        for move in moves:
            mark(self.work, self.table, KEY, depth, i, move)

    def ready(self, *moves: int) -> None:
        """It has done with these."""
        for move in moves:
            unmark(self.work, self.table, KEY, SHARED_DEPTH, 1, move)


def test_moves_that_somebody_is_busy_with_come_last_in_their_own_order() -> None:
    node = Node()
    assert node.order() == IN_ORDER
    node.busy(12, 14)
    assert node.order() == [11, 13, 10, 12, 14]
    node.ready(12)
    assert node.order() == [11, 12, 13, 10, 14]
    node.ready(12, 14)
    assert node.order() == IN_ORDER


def test_the_first_move_is_everybodys_and_when_all_others_are_busy_they_are_searched_all_the_same() -> None:
    node = Node()
    node.busy(*MOVES)
    assert node.order() == IN_ORDER


@pytest.mark.parametrize(("threads", "depth"), [(1, SHARED_DEPTH), (2, SHARED_DEPTH - 1)])
def test_one_thread_alone_and_near_the_leaves_nobody_is_asked(threads: int, depth: int) -> None:
    node = Node(threads)
    node.busy(12, depth=depth)
    assert not node.table.check.any()
    node.work.threads = 2
    node.busy(12)
    node.work.threads = threads
    assert node.order(depth) == IN_ORDER


def test_first_moves_are_not_marked_and_a_mark_that_was_overwritten_is_left_to_its_new_owner() -> None:
    node = Node()
    node.busy(12, i=0)
    assert not node.table.check.any()
    node.busy(12)
    place = int(np.flatnonzero(node.table.check)[0])
    assert place >= BUCKET  # behind the buckets
    node.table.check[place] = 77
    node.ready(12)
    assert node.table.check[place] == 77


@pytest.mark.slow
def test_marks_of_a_search_that_was_stopped_are_forgotten_by_the_next() -> None:
    engine, start = Engine(brain_for(load_game("reversi")), table_mb=1, threads=2), load_game("reversi").start()
    found = engine.search(start, depth=6)
    marks = engine._table.check[-BEHIND:][:MARKS]
    marks[:] = 1
    again = engine.search(start, depth=6)
    assert not marks.any()
    assert (found.depth, again.depth) == (6, 6)
    assert abs(again.value) < 1_000
