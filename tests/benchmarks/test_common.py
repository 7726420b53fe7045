"""Rows of benchmarks: a table for people, JSON for programs, and columns that exist."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from types import ModuleType

import pytest

from benchmarks import ablation, endgames, match, signature, start, threads
from benchmarks.common import parser, print_rows


@dataclass(frozen=True)
class Row:
    game: str
    nodes: int
    plus_minus: float | None


ROWS = (Row("nim", 1_234_567, None), Row("chess", 7, 1.25))
COLUMNS = {"game": ("game", "<6"), "nodes": ("nodes", ">10,"), "plus_minus": ("+-", ">5.1f")}


def test_a_table_has_its_columns_as_wide_as_their_format(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS, COLUMNS, "table", lambda row: "  much" if row.nodes > 9 else "")
    assert capsys.readouterr().out.splitlines() == [
        "game        nodes    +-",
        "nim     1,234,567     -  much",
        "chess           7   1.2",
    ]


def test_json_has_every_field(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_rows(iter(ROWS), {}, "json") == list(ROWS)
    assert json.loads(capsys.readouterr().out)[1] == {"game": "chess", "nodes": 7, "plus_minus": 1.25}


def test_a_misspelled_game_is_said_before_anything_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser("speed", games=True).parse_args(["--games", "nim,chss"])
    assert "argument --games: there is no game 'chss' (there are: nim, " in capsys.readouterr().err


@pytest.mark.parametrize("benchmark", [ablation, endgames, match, signature, start, threads])
def test_the_columns_of_a_benchmark_are_fields_of_its_rows(benchmark: ModuleType) -> None:
    assert set(benchmark.COLUMNS) <= {field.name for field in fields(benchmark.Row)}
