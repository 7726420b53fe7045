"""What a thread is busy with is put off by the others, once, and searched by them in the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tabiya.bots.engine import abdada
from tabiya.bots.engine.abdada import CLOSED_DEPTH, SHARED_DEPTH
from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.options import ENGINE
from tabiya.bots.engine.search import search
from tabiya.bots.engine.search_thread import SearchThread
from tabiya.bots.engine.state import new_histories, thread_state_type
from tabiya.bots.engine.transposition_table import BUCKET, EXTRA_ENTRIES, MARK_ENTRIES, new_table
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import key_of
from tabiya.bots.search.record import new_record
from tabiya.games.registry import load_game
from tests.kernels import called

KEY = np.uint64(0x1234_5678_9ABC_DEF0)
PLY = 2
MOVES, SCORES = (10, 11, 12, 13, 14), (5, 40, 30, 20, 10)
IN_ORDER = [11, 12, 13, 14, 10]


marks_moves, next_unmarked, rank_of = called(abdada.marks_moves), called(abdada.next_unmarked), called(abdada.rank_of)
set_mark, clear_mark = called(abdada.set_mark), called(abdada.clear_mark)


class Node:
    """A node with five moves, as one of several threads sees it."""

    def __init__(self) -> None:
        self.work, self.table = new_record(thread_state_type(8)), new_table(0)

    def order(self, shared: bool = True) -> list[int]:
        """The moves as they come, each with its own score."""
        return [move for move, _ in self.ranked(shared)]

    def ranked(self, shared: bool = True) -> list[tuple[int, int]]:
        """The same, and how late each of them is taken to be."""
        self.work["moves"][PLY][: len(MOVES)], self.work["scores"][PLY][: len(MOVES)] = MOVES, SCORES
        found = []
        for i in range(len(MOVES)):
            move = int(next_unmarked(self.work, self.table, KEY, shared, PLY, i, len(MOVES)))
            found.append((move, int(rank_of(self.work, shared, PLY, i))))
        scores = self.work["scores"][PLY][: len(MOVES)]
        assert {move: score for (move, _), score in zip(found, scores, strict=True)} == dict(
            zip(MOVES, SCORES, strict=True)
        )
        return found

    def busy(self, *moves: int) -> None:
        """Another thread begins with these."""
        for move in moves:
            set_mark(self.table, KEY, move)

    def ready(self, *moves: int) -> None:
        """It has done with these."""
        for move in moves:
            clear_mark(self.table, KEY, move)


def test_moves_that_other_threads_search_come_last_in_their_own_order() -> None:
    node = Node()
    assert node.order() == IN_ORDER
    node.busy(12, 14)
    assert node.order() == [11, 13, 10, 12, 14]
    node.ready(12)
    assert node.order() == [11, 12, 13, 10, 14]
    node.ready(12, 14)
    assert node.order() == IN_ORDER


def test_a_deferred_move_keeps_the_rank_of_its_score() -> None:
    node = Node()
    assert node.ranked() == [(move, rank) for rank, move in enumerate(IN_ORDER)]
    node.busy(12, 14)
    assert node.ranked() == [(11, 0), (13, 1), (10, 2), (12, 1), (14, 3)]


def test_all_threads_search_the_first_move_and_busy_moves_in_the_end() -> None:
    node = Node()
    node.busy(*MOVES)
    assert node.order() == IN_ORDER


def test_a_node_that_is_not_shared_reads_no_marks() -> None:
    node = Node()
    node.busy(12)
    assert node.order(shared=False) == IN_ORDER


@pytest.mark.parametrize(("open_window", "least"), [(True, SHARED_DEPTH), (False, CLOSED_DEPTH)])
def test_nodes_are_shared_by_several_threads_from_a_depth_on_that_is_less_on_the_principal_variation(
    open_window: bool, least: int
) -> None:
    work = Node().work
    work.threads = 2
    assert marks_moves(work, least, open_window)
    assert not marks_moves(work, least - 1, open_window)
    work.threads = 1
    assert not marks_moves(work, least, open_window)


def test_a_mark_is_behind_the_buckets_and_one_that_was_overwritten_is_left_to_its_new_owner() -> None:
    node = Node()
    node.busy(12)
    place = int(np.flatnonzero(node.table.check)[0])
    assert place >= BUCKET
    node.table.check[place] = 77
    node.ready(12)
    assert node.table.check[place] == 77


@pytest.mark.slow
def test_shared_records_of_threads_are_forgotten_even_by_a_search_that_remembers() -> None:
    engine, start = Engine(evaluator_for(load_game("reversi")), table_mb=1, threads=2), load_game("reversi").start()
    found = engine.search(start, depth=6)
    marks, published = engine._table.check[-EXTRA_ENTRIES:][:MARK_ENTRIES], engine._table.word[-EXTRA_ENTRIES:]
    marks[:], published[:] = 1, STALE
    again = engine.search(start, depth=6, remember=True)
    assert not marks.any()
    assert not (published == STALE).any()
    assert (found.depth, again.depth) == (6, 6)
    assert abs(again.value) < 1_000


OPEN, CLOSED = (-32_000, 32_000), (9_000, 9_001)  # a window that nothing reaches: all moves of the root are tried
STALE = 77  # of no node


def searched(threads: int, depth: int, window: tuple[int, int], busy: int | None = None) -> tuple[int, Any]:
    """The start of reversi, searched by one of so many threads: nodes visited, and the words of all marks after it.

    busy: number of a move that another thread is busy with all the time.
    """
    position = load_game("reversi").start()
    worker = SearchThread(evaluator_for(position.game), new_table(0.1), new_histories())
    worker.prepare(position, ENGINE, [])
    worker.work.threads, worker.work.root_depth, worker.work.node_limit = threads, depth, 1 << 40
    marks = worker.table.check[-EXTRA_ENTRIES:][:MARK_ENTRIES]
    marks[:] = STALE
    if busy is not None:
        key = np.uint64(key_of(position.game, position.state))
        set_mark(worker.table, key, position.check_move(position.legal_moves()[busy]))
    search(worker.evaluator, worker.stack, worker.work, worker.table, worker.histories, depth, *window, 0, 0)
    return int(worker.work.nodes), marks.copy()


@pytest.mark.slow
@pytest.mark.parametrize(("window", "least"), [(OPEN, SHARED_DEPTH), (CLOSED, CLOSED_DEPTH)])
def test_a_search_marks_all_moves_but_the_first_from_a_depth_on_and_takes_its_marks_back(
    window: tuple[int, int], least: int
) -> None:
    marked = [word for word in searched(2, least, window)[1] if word != STALE]
    assert marked == [0] * (len(load_game("reversi").start().legal_moves()) - 1)
    assert (searched(2, least - 1, window)[1] == STALE).all()
    assert (searched(1, least, window)[1] == STALE).all()


@pytest.mark.slow
def test_a_search_defers_moves_that_another_thread_searches() -> None:
    nodes = [searched(2, 7, OPEN, busy)[0] for busy in (None, *range(4))]
    assert len(set(nodes)) > 1
    assert {searched(1, 7, OPEN, busy)[0] for busy in (None, *range(4))} == {nodes[0]}


def test_all_threads_have_one_table_and_learn_in_one_record() -> None:
    first, second = Engine(evaluator_for(load_game("chess")), table_mb=0.1, threads=2)._workers
    assert first.table is second.table
    assert first.histories is second.histories
