"""The ablation plays what it says; it measures nothing here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.ablation import Row, command_line, keep, main, measure, without
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


def test_rows_are_kept_beside_those_of_other_games_and_switches(tmp_path: Path) -> None:
    page = tmp_path / "kept.json"
    given = command_line().parse_args(["--pairs", "2"])
    keep(page, given, [Row("table", 2.5, 30.0, None, (1,)), Row("killers", 1.1, 2.0, 9.0, (1,))])
    keep(page, command_line().parse_args(["--game", "nim"]), [Row("table", 1.0, 0.0, None, (1,))])
    keep(page, given, [Row("killers", 1.2, 5.0, 9.0, (2,))])
    kept = json.loads(page.read_text())
    assert {game: list(rows) for game, rows in kept.items()} == {"chess": ["table", "killers"], "nim": ["table"]}
    assert kept["chess"]["killers"]["elo"] == 5.0
    assert kept["chess"]["killers"]["asked"]["pairs"] == 2


def test_an_unknown_switch_is_one_sentence() -> None:
    with pytest.raises(SystemExit, match="no switch 'nul_move'"):
        main(["--switches", "nul_move"])
