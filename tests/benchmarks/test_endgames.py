"""The benchmark of endgames has the published positions, and says when a result is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.endgames import endgames, main, measure
from tabiya.bots.solvers.reversi.solver import Solver


def test_the_published_positions_are_all_there() -> None:
    known = endgames()
    assert list(known) == list(range(40, 60))
    assert [known[number].best for number in range(40, 45)] == [38, 0, 6, -12, -14]
    for endgame in known.values():
        assert set(endgame.results) <= set(endgame.position.legal_moves())


@pytest.mark.slow
def test_it_prints_a_row_for_each_position(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--positions", "40"])
    printed = capsys.readouterr().out
    assert "+38" in printed
    assert "WRONG" not in printed
    assert "together" in printed


@pytest.mark.slow
def test_a_result_that_is_not_the_published_one_is_wrong() -> None:
    endgame = endgames()[40]
    assert not measure(replace(endgame, results={**endgame.results, "c7": 40}), Solver()).right


def test_a_position_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(SystemExit, match="no position '60'"):
        main(["--positions", "60"])
