"""What the table says of a node that it does not decide: a better evaluation, and whether one move stands alone."""

from __future__ import annotations

from typing import Any

import pytest

from tabiya.bots.engine import pruning
from tabiya.bots.engine.pruning import SINGULAR_DEPTH, SINGULAR_PLIES
from tabiya.bots.engine.state import thread_state_type
from tabiya.bots.engine.transposition_table import EXACT, LOWER, NO_MOVE, UNKNOWN, UPPER, pack
from tabiya.bots.search.record import new_record
from tabiya.bots.search.scores import WON
from tests.kernels import called

pytestmark = pytest.mark.slow
SWING, PLY = 100, 3
bounded_by_table = called(pruning.bounded_by_table)
may_be_singular, singular_extension = called(pruning.may_be_singular), called(pruning.singular_extension)
singular_bound, packed = called(pruning.singular_bound), called(pack)


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
