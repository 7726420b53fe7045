"""What the table says of a node that it does not decide, how much late moves are reduced, and which are left out."""

from __future__ import annotations

from typing import Any

import pytest

from tabiya.bots.engine import pruning, quiescence
from tabiya.bots.engine.move_order import FROM_TABLE, QUIET_FROM_TABLE
from tabiya.bots.engine.pruning import SINGULAR_DEPTH, SINGULAR_PLIES
from tabiya.bots.engine.state import thread_state_type
from tabiya.bots.engine.transposition_table import EXACT, LOWER, NO_MOVE, UNKNOWN, UPPER, pack
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.record import new_record
from tabiya.bots.search.scores import WON
from tabiya.games.registry import load_game
from tests.kernels import called

pytestmark = pytest.mark.slow
SWING, PLY = 100, 3
bounded_by_table = called(pruning.bounded_by_table)
may_be_singular, singular_extension = called(pruning.may_be_singular), called(pruning.singular_extension)
singular_bound, packed = called(pruning.singular_bound), called(pack)
reduction, is_left_out = called(pruning.reduction), called(quiescence.is_left_out)


@pytest.fixture
def work() -> Any:
    record = new_record(thread_state_type(9))
    record.root_depth = 10
    for name in ("bounded_evaluation", "singular"):
        record[name] = 1
    return record


def entry(value: int, bound: Any, depth: int = SINGULAR_DEPTH, move: int = 4) -> Any:
    return packed(move, value, 0, depth, int(bound))


@pytest.mark.parametrize(
    ("value", "bound", "expected"),
    [
        (50, EXACT, 50),
        (-50, EXACT, -50),
        (50, LOWER, 50),
        (5, LOWER, 20),
        (5, UPPER, 5),
        (50, UPPER, 20),
        (int(WON) + 50, EXACT, 20),
    ],
)
def test_a_value_in_the_table_bounds_an_evaluation_of_20(work: Any, value: int, bound: Any, expected: int) -> None:
    assert bounded_by_table(work, entry(value, bound), 20, PLY) == expected


def test_without_evaluation_entry_or_switch_nothing_is_bounded(work: Any) -> None:
    assert bounded_by_table(work, entry(50, EXACT), int(UNKNOWN), PLY) == UNKNOWN
    assert bounded_by_table(work, packed(0, 0, 0, 0, 0) & 0, 20, PLY) == 20
    work.bounded_evaluation = 0
    assert bounded_by_table(work, entry(50, EXACT), 20, PLY) == 20


def test_a_move_is_worth_proving_if_it_is_deeply_known_to_be_good(work: Any) -> None:
    def worth(data: Any, depth: int = SINGULAR_DEPTH, ply: int = PLY, without: int = int(NO_MOVE)) -> bool:
        return bool(may_be_singular(work, data, depth, SWING, ply, without))

    assert worth(entry(30, LOWER))
    assert worth(entry(30, EXACT), depth=SINGULAR_DEPTH + SINGULAR_PLIES)
    assert not worth(entry(30, LOWER), depth=SINGULAR_DEPTH + SINGULAR_PLIES + 1)
    assert not worth(entry(30, UPPER))
    assert not worth(entry(int(WON) + 9, EXACT))
    assert not worth(entry(30, LOWER, move=int(NO_MOVE)))
    assert not worth(entry(30, LOWER), depth=SINGULAR_DEPTH - 1)
    assert not worth(entry(30, LOWER), ply=0)
    assert not worth(entry(30, LOWER), without=4), "it is being proven already"


def test_a_move_alone_is_searched_deeper_and_one_of_several_that_refute_less_deeply() -> None:
    data = entry(30, LOWER)
    target = int(singular_bound(data, SINGULAR_DEPTH, SWING, PLY))
    assert target < 30
    assert singular_extension(target - 1, target, data, 10, PLY) == 1
    assert singular_extension(target, target, data, 30, PLY) == -1
    assert singular_extension(target, target, data, 31, PLY) == 0


@pytest.mark.parametrize(("swing", "more"), [(SWING, 1), (0, 0)])
def test_late_moves_are_reduced_more_where_the_tables_move_is_a_capture_in_games_with_a_swing(
    work: Any, swing: int, more: int
) -> None:
    work.late_reductions = 1

    def less(first: Any) -> int:
        work["scores"][PLY, 0] = int(first)
        return int(reduction(work, 9, 9, 0, PLY, swing, 0, 1, 0))

    assert less(FROM_TABLE) == less(QUIET_FROM_TABLE) + more


def test_a_checked_side_tries_two_more_quiet_replies_once_one_holds() -> None:
    def left_out(more_quiet: int) -> bool:
        return bool(is_left_out(evaluator, position.state, work, 0, True, more_quiet, 0, 0, SWING))

    position = load_game("chess").start()
    evaluator = evaluator_for(position.game)
    work = new_record(thread_state_type(evaluator.width))
    work.evasion_pruning = 1
    assert [left_out(number) for number in range(4)] == [False, False, False, True]
    work.evasion_pruning = 0
    assert not left_out(9)
