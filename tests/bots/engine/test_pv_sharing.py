"""What a thread has found on the principal variation is taken over by who is at the same node in the same iteration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tabiya.bots.engine import pv_sharing
from tabiya.bots.engine.abdada import SHARED_DEPTH
from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.options import ENGINE, PLAIN, SOUND
from tabiya.bots.engine.pv_sharing import RECORD
from tabiya.bots.engine.search import search
from tabiya.bots.engine.search_thread import SearchThread
from tabiya.bots.engine.state import new_histories, thread_state_type
from tabiya.bots.engine.transposition_table import EXACT, LOWER, MISS, PV_ENTRIES, new_table
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import key_of
from tabiya.bots.search.record import new_record
from tabiya.bots.search.scores import INFINITE, MATE, PLIES
from tabiya.games.registry import load_game
from tests.kernels import called

KEY, DEPTH, PLY = np.uint64(0x1234_5678_9ABC_DEF0), 6, 2
LINE = [7, 65_534, 0, 9, 11]
BELOW = int(-INFINITE)


publish, read_published = called(pv_sharing.publish), called(pv_sharing.read_published)
published_value, is_published = called(pv_sharing.published_value), called(pv_sharing.is_published)


class Threads:
    """One that tells and one that hears, in the same iteration."""

    def __init__(self) -> None:
        self.table = new_table(0)
        self.teller, self.hearer = (new_record(thread_state_type(8)) for _ in range(2))
        for work in (self.teller, self.hearer):
            work.threads, work.root_depth = 2, 9
        self.hearer["line"][PLY, :2], self.hearer.line_length[PLY] = (1, 2), 2

    def publish(self, value: int, bound: int = int(EXACT), line: list[int] = LINE, inexact_nodes: int = 0) -> None:
        self.teller["line"][PLY, : len(line)], self.teller.line_length[PLY] = line, len(line)
        publish(self.teller, self.table, KEY, DEPTH, value, bound, inexact_nodes, PLY)

    def read_published(self, least: int = BELOW, depth: int = DEPTH, ply: int = PLY, key: np.uint64 = KEY) -> bool:
        return bool(read_published(self.hearer, self.table, key, depth, least, ply))

    def known(self, depth: int = DEPTH, ply: int = PLY) -> int | None:
        value = int(published_value(self.hearer, self.table, KEY, depth, ply))
        return None if value == MISS else value

    @property
    def line(self) -> list[int]:
        return [int(move) for move in self.hearer["line"][PLY, : int(self.hearer.line_length[PLY])]]


@pytest.mark.parametrize("length", [1, 3, 4, 5, PLIES - 1])
def test_value_and_line_are_taken_over_however_long(length: int) -> None:
    threads, line = Threads(), [37 * i % 65_535 for i in range(length)]
    threads.publish(123, line=line)
    assert threads.known() == 123
    assert threads.line == line


def test_the_longest_line_does_not_reach_into_the_next_record() -> None:
    assert 1 + (PLIES - 1 + 3) // 4 <= RECORD
    assert PV_ENTRIES % RECORD == 0


def test_nothing_is_taken_over_of_another_node_iteration_or_smaller_depth() -> None:
    threads = Threads()
    threads.publish(123)
    assert not threads.read_published(key=KEY ^ np.uint64(1))
    assert not threads.read_published(depth=DEPTH + 1)
    threads.hearer.root_depth += 1
    assert not threads.read_published()
    threads.hearer.root_depth -= 1
    assert threads.line == [1, 2]
    assert threads.read_published(depth=DEPTH - 1)
    threads.hearer.exact_depth = 1
    assert not threads.read_published(depth=DEPTH - 1)
    assert threads.read_published()


def test_a_published_bound_counts_if_better_and_an_exact_value_if_as_good() -> None:
    threads = Threads()
    threads.publish(50, int(LOWER))
    assert threads.read_published(49)
    assert not threads.read_published(50)
    threads.publish(50)
    assert threads.read_published(50)
    assert not threads.read_published(51)


def test_a_record_that_says_more_stays() -> None:
    threads = Threads()
    threads.publish(50, int(LOWER))
    threads.publish(40, int(LOWER), line=[1])
    assert threads.read_published()
    assert threads.line == LINE
    threads.publish(60, int(LOWER), line=[2])
    assert threads.read_published()
    assert threads.line == [2]
    threads.publish(60, line=[3])
    assert threads.known() == 60
    assert threads.line == [3]
    threads.publish(70, int(LOWER), line=[4])
    assert threads.known() == 60
    threads.teller.root_depth = threads.hearer.root_depth = 10
    threads.publish(30, line=[5])
    assert threads.known() == 30


def test_a_bound_is_not_what_the_node_is_worth() -> None:
    threads = Threads()
    threads.publish(50, int(LOWER))
    assert threads.known() is None
    assert threads.line == []
    threads.publish(50)
    assert threads.known() == 50


def test_a_record_of_two_threads_is_of_no_node() -> None:
    threads = Threads()
    threads.publish(123)
    first = int(np.flatnonzero(threads.table.check[-PV_ENTRIES:])[0]) - PV_ENTRIES
    for changed in (first, first + 1, first + 2):
        threads.table.word[changed] ^= np.uint64(1 << 20)
        assert not threads.read_published()
        assert threads.line == [1, 2]
        threads.table.word[changed] ^= np.uint64(1 << 20)
    assert threads.read_published()


def test_mates_are_counted_from_the_node_and_guesses_are_passed_on() -> None:
    threads = Threads()
    threads.publish(int(MATE) - 10)
    assert threads.known(ply=PLY + 4) == MATE - 14
    assert threads.hearer.inexact_nodes == 0
    threads.teller.inexact_nodes = 3
    threads.teller.root_depth = threads.hearer.root_depth = 10
    threads.publish(5, inexact_nodes=2)
    assert threads.known() == 5
    assert threads.hearer.inexact_nodes > 0


def test_of_interest_are_open_windows_of_several_threads_far_from_the_leaves_and_whole_roots() -> None:
    work = Threads().hearer
    assert is_published(work, SHARED_DEPTH, 0, 0, 2)
    assert not is_published(work, SHARED_DEPTH - 1, 0, 0, 2)
    assert not is_published(work, SHARED_DEPTH, 0, 0, 1)
    work.root_count = 2
    assert not is_published(work, SHARED_DEPTH, 0, 0, 2)
    assert is_published(work, SHARED_DEPTH, 1, 0, 2)
    work.threads = 1
    assert not is_published(work, SHARED_DEPTH, 1, 0, 2)


def test_the_root_goes_on_from_a_better_move_that_another_thread_has_shared() -> None:
    position, depth = load_game("reversi").start(), 5
    worker = SearchThread(evaluator_for(position.game), new_table(0.1), new_histories())
    worker.prepare(position, ENGINE, [])
    worker.work.threads, worker.work.root_depth, worker.work.node_limit = 2, depth, 1 << 40
    reported = [int(position.check_move(position.legal_moves()[-1])), 1, 2]
    worker.work["line"][0, :3], worker.work.line_length[0] = reported, 3
    publish(worker.work, worker.table, np.uint64(key_of(position.game, position.state)), depth, 9_000, int(LOWER), 0, 0)
    value = int(
        search(
            worker.evaluator, worker.stack, worker.work, worker.table, worker.histories, depth, -32_000, 32_000, 0, 0
        )
    )
    assert value == worker.work.value == 9_000
    assert worker.work.best == reported[0]
    assert [int(move) for move in worker.work["line"][0, :3]] == reported


@pytest.mark.slow
def test_with_sound_switches_two_threads_find_the_value_that_one_finds() -> None:
    sound = replace(PLAIN, **dict.fromkeys(SOUND, True))
    one, two = (Engine(evaluator_for(load_game("reversi")), sound, table_mb=1, threads=threads) for threads in (1, 2))
    position = load_game("reversi").start()
    for _ in range(6):
        found, together = one.search(position, depth=7), two.search(position, depth=7)
        assert together.value == found.value
        at = position
        for move in together.pv:
            at = at.play(move)
        position = position.play(found.move)
