"""What a leaf leaves in the table holds whoever asks for it later."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from numba import njit

from tabiya.bots.engine.options import ENGINE
from tabiya.bots.engine.quiescence import EVASION_PLIES, quiesce
from tabiya.bots.engine.state import thread_state_type
from tabiya.bots.engine.transposition_table import new_table
from tabiya.bots.search.kernel_calls import is_in_check
from tabiya.bots.search.record import new_record
from tabiya.bots.search.scores import INFINITE, PLIES
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.games.registry import load_game

pytestmark = pytest.mark.slow


@njit  # type: ignore[untyped-decorator]
def leaf(game: Any, stack: Any, work: Any, table: Any, alpha: Any, beta: Any, ply: Any, evasions: Any) -> Any:
    return quiesce(game, stack, work, table, alpha, beta, ply, evasions)


class Leaves:
    """One thread's memory and table, empty at first."""

    def __init__(self) -> None:
        self.evaluator = book_evaluator(load_game("chess"))
        self.work, self.table = new_record(thread_state_type(self.evaluator.width)), new_table(0.1)
        for field in fields(ENGINE):
            self.work[field.name] = getattr(ENGINE, field.name)
        self.work.node_limit = self.work.deadline_ns = np.iinfo(np.int64).max

    def value(
        self, text: str, alpha: int = -int(INFINITE), beta: int = int(INFINITE), evasions: int = int(EVASION_PLIES)
    ) -> int:
        stack = np.zeros(PLIES + 1, self.evaluator.state).view(np.recarray)
        stack[0] = load_game("chess").parse(text).state
        self.work.checked[0] = evasions > 0 and is_in_check(self.evaluator, stack[0])
        numbers = (np.int64(number) for number in (alpha, beta, 0, evasions))
        return int(leaf(self.evaluator, stack, self.work, self.table, *numbers))


def test_near_fifty_moves_nothing_is_believed_and_nothing_kept() -> None:
    text, leaves = "7k/8/8/8/8/8/1R6/K7 w - - {} 80", Leaves()
    assert leaves.value(text.format(10), 0, 1) > 300
    assert leaves.value(text.format(100), 0, 1) == 0
    late = Leaves()
    assert late.value(text.format(95)) > 300
    assert not np.any(late.table["word"])
