"""Positions with known best moves: read as EPD, solved or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.tactics import WIN_AT_CHESS, main, read_puzzle, read_puzzles

BACK_RANK = '6k1/5ppp/8/8/8/8/8/KR6 w - - bm Rb8#; id "mate in one";'


def test_any_of_the_best_moves_solves_it() -> None:
    puzzle = read_puzzle('6k1/5ppp/8/8/8/8/8/KR6 w - - bm Rb8# Rc1; id "two";')
    assert (puzzle.name, puzzle.best) == ("two", ("b1b8", "b1c1"))
    assert puzzle.is_solved_by("b1c1")
    assert not puzzle.is_solved_by("b1d1")


def test_where_moves_are_to_be_avoided_any_other_solves_it() -> None:
    puzzle = read_puzzle("6k1/5ppp/8/8/8/8/8/KR6 w - - am Ka2;")
    assert puzzle.is_solved_by("b1b8")
    assert not puzzle.is_solved_by("a1a2")
    assert not puzzle.is_solved_by("")


def test_a_suite_may_give_points_for_several_moves() -> None:
    puzzle = read_puzzle('6k1/5ppp/8/8/8/8/8/KR6 w - - bm Rb8; id "STS 1"; c0 "x, y"; c8 "100 7"; c9 "b1b8 b1c1";')
    assert puzzle.points == {"b1b8": 100, "b1c1": 7}


@pytest.mark.parametrize("line", ["6k1/5ppp/8/8/8/8/8/KR6 w - - id 5;", "6k1/5ppp/8/8/8/8/8/KR6 w - - bm Qh8;", "8 w"])
def test_a_line_that_is_no_puzzle_is_reported_by_its_number(line: str, tmp_path: Path) -> None:
    (tmp_path / "bad.epd").write_text(f"{BACK_RANK}\n{line}\n")
    with pytest.raises(ValueError, match="line 2"):
        read_puzzles(tmp_path / "bad.epd")


def test_win_at_chess_is_whole() -> None:
    puzzles = read_puzzles(WIN_AT_CHESS)
    assert len({puzzle.name for puzzle in puzzles}) == 300


@pytest.mark.slow
def test_a_mate_in_one_is_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.epd").write_text(BACK_RANK)
    main(["--file", str(tmp_path / "one.epd"), "--nodes", "2000", "--format", "json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["solved"], row["move"]) == ("mate in one", True, "b1b8")


@pytest.mark.slow
def test_players_beside_it_answer_the_same_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two.epd").write_text(f'{BACK_RANK} c8 "100 7"; c9 "b1b8 b1c1";\n{BACK_RANK}\n')
    main(["--file", str(tmp_path / "two.epd"), "--time", "0.05", "--beside", "alphabeta:2", "--beside", "pvs"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith("2 of 2 solved, 100 of 100 points; ") for line in lines] == [True] * 3
    assert [line.rpartition("; ")[2] for line in lines[1:]] == ["alphabeta:2", "pvs"]


def test_players_beside_it_have_time_and_no_nodes() -> None:
    with pytest.raises(SystemExit, match="time, not nodes"):
        main(["--nodes", "5", "--beside", "greedy"])
