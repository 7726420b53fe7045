"""What a search has learned of a move brings it forward, in every search that reads the same lessons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tabiya.bots.engine import move_order
from tabiya.bots.engine.move_order import FIRST_KILLER
from tabiya.bots.engine.options import ENGINE, NAMES
from tabiya.bots.engine.state import SHARED_HISTORIES, new_histories, thread_state_type
from tabiya.bots.engine.transposition_table import NO_MOVE
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.record import new_record
from tabiya.games.registry import load_game
from tests.kernels import called

pytestmark = pytest.mark.slow
PLY, TRIED, DEPTH = 4, 5, 6


list_moves, score_moves = called(move_order.list_moves), called(move_order.score_moves)
update_histories = called(move_order.update_histories)


class Thread:
    """One of several at the start of chess, some plies below a root."""

    def __init__(self, histories: Any) -> None:
        self.position, self.histories = load_game("chess").start(), histories
        self.evaluator = evaluator_for(self.position.game)
        self.work = new_record(thread_state_type(self.evaluator.width))
        for name in NAMES:
            self.work[name] = getattr(ENGINE, name)
        self.work["slots"][:PLY] = (11, 12, 13, 14)

    def scores(self) -> list[int]:
        state = self.position.state
        count, _ = list_moves(self.evaluator, state, self.work, PLY)
        score_moves(self.evaluator, state, self.work, self.histories, PLY, count, NO_MOVE)
        return [int(score) for score in self.work["scores"][PLY, :count]]

    def cut_off(self) -> None:
        """Quiet move number TRIED refutes the node."""
        self.scores()
        update_histories(self.evaluator, self.position.state, self.work, self.histories, PLY, TRIED, DEPTH)


@pytest.mark.parametrize("field", SHARED_HISTORIES.fields or ())
def test_what_one_thread_learns_orders_the_moves_of_another(field: str) -> None:
    """Each statistic by itself: the move that refuted comes forward, those tried before it go back."""
    histories, alone = new_histories(), new_histories()
    Thread(histories).cut_off()
    alone[field][:] = histories[field]
    before, after = Thread(new_histories()).scores(), Thread(alone).scores()
    assert after[TRIED] > before[TRIED]
    assert after[TRIED + 1 :] == before[TRIED + 1 :]
    if field == "killer_moves":
        assert after[TRIED] == FIRST_KILLER
        assert after[:TRIED] == before[:TRIED]
    else:
        assert all(now < then for now, then in zip(after[:TRIED], before[:TRIED], strict=True))


def test_the_last_two_killers_are_kept() -> None:
    histories = new_histories()
    assert (histories["killer_moves"] == NO_MOVE).all()
    thread = Thread(histories)
    thread.cut_off()
    first = int(histories["killer_moves"][PLY, 0])
    thread.cut_off()
    assert list(histories["killer_moves"][PLY]) == [first, NO_MOVE], "the same one again"
    other = int(thread.work["moves"][PLY, 0])
    update_histories(thread.evaluator, thread.position.state, thread.work, histories, PLY, 0, DEPTH)
    assert list(histories["killer_moves"][PLY]) == [other, first]
    assert np.count_nonzero(histories["killer_moves"] != NO_MOVE) == 2
