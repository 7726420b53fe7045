"""The ablation plays what it says; it measures nothing here."""

from __future__ import annotations

import pytest

from benchmarks.ablation import Row, command_line, main, measure, without
from tabiya.bots.engine.options import ENGINE, NAMES


def test_without_a_switch_means_without_it_and_what_needs_it() -> None:
    for name in NAMES:
        assert getattr(without(name), name) != getattr(ENGINE, name)
    assert not without("priorities").late_reductions


@pytest.mark.slow
def test_a_row_tells_nodes_and_pairs_and_is_the_same_again() -> None:
    given = command_line().parse_args(["--pairs", "2", "--nodes", "300", "--positions", "2", "--depth", "4"])
    rows = [list(measure("tictactoe", ["table"], given)) for _ in range(2)]
    assert rows[0] == rows[1]
    assert isinstance(rows[0][0], Row)
    assert rows[0][0].nodes > 1
    assert sum(rows[0][0].pairs) == 2


def test_an_unknown_switch_is_one_sentence() -> None:
    with pytest.raises(SystemExit, match="no switch 'nul_move'"):
        main(["--switches", "nul_move"])
