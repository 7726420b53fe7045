"""`tabiya analyse`. What it draws on drawn trees is in docs/explanation/textbooks.md, which is tested as it stands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from tabiya.bots.textbook.catalogue import LISTINGS
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.recording.explanation import explain
from tabiya.cli.players.analyse import analyse
from tabiya.errors import UserError
from tests.source_rules.sources import ROOT

APP = typer.Typer(pretty_exceptions_enable=False)
APP.command()(analyse)


def run(*arguments: str) -> str:
    """What the command prints. Raises UserError as the command does."""
    result = CliRunner().invoke(APP, arguments)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def answers(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--format", "json"))
    return found


def test_both_functions_of_minimax_draw_the_same_tree_as_the_one_function() -> None:
    drawings = [
        run("--tree", "001", "-a", name, "--trace", "--view", view).partition("\n")[2].partition("\n\n")[0]
        for view in ("max", "mover")
        for name in ("000-minimax", "000-negamax")
    ]
    assert drawings[0] == drawings[1]
    assert drawings[2] == drawings[3] != drawings[0]


def test_the_usual_algorithms_stand_side_by_side() -> None:
    found = answers("--tree", "[[9,8,7],[6,5,4]]")
    assert [(row["algorithm"], row["nodes"], row["leaves"]) for row in found["algorithms"]] == [
        ("minimax", 9, 6),
        ("alphabeta-failsoft", 7, 4),
        ("alphabeta-failhard", 7, 4),
        ("pvs-failhard", 9, 6),
    ]
    assert all((row["value"], row["best"], row["line"]) == (7, ["1"], ["1", "3"]) for row in found["algorithms"])
    assert (found["tree"], found["depth"], found["to_move"]) == ("[[9,8,7],[6,5,4]]", 2, "max")


def test_a_table_has_a_row_for_each_algorithm_and_without_time_is_always_the_same() -> None:
    arguments = ("--tree", "004", "-a", "minimax,alphabeta-failsoft", "-a", "004-alphabeta-printed", "--no-time")
    assert run(*arguments) == run(*arguments)
    rows = [line.split() for line in run(*arguments).splitlines() if "-" in line or "minimax" in line]
    assert [row[0] for row in rows[1:]] == ["minimax", "alphabeta-failsoft", "004-alphabeta-printed"]


def test_csv_and_json_carry_the_same_numbers() -> None:
    lines = run("--tree", "001", "-a", "alphabeta-failsoft", "--format", "csv").splitlines()
    assert lines[0].startswith("algorithm,value,best,line,nodes")
    assert lines[1].startswith("alphabeta-failsoft,0,2,2 2,11,7,1,0")


def test_min_may_begin() -> None:
    assert answers("--tree", "[[9,8,7],[6,5,4]]", "--min")["algorithms"][0]["value"] == -6


def test_a_window_is_for_the_side_to_move() -> None:
    found = answers("--tree", "001", "-a", "alphabeta-failsoft,alphabeta-failhard", "--window", "2,5")
    assert [row["value"] for row in found["algorithms"]] == [0, 2]
    assert [row["value"] for row in answers("--tree", "001", "--window=-inf,inf")["algorithms"]] == [0] * 4


def test_what_one_algorithm_cannot_do_does_not_stop_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    found = answers("--tree", "002", "-a", "minimax,002-maxab-minab")
    assert found["algorithms"][0]["problem"] == "the search looked at node 4, a leaf whose value is not given"
    assert found["algorithms"][1]["value"] == 10
    result = CliRunner().invoke(APP, ["--tree", "002", "-a", "minimax,002-ab", "--trace"])
    assert "(not drawn: the search looked at node 4" in result.stdout
    assert "minimax: the search looked at node 4" in result.stderr


def test_a_listing_that_never_asks_for_the_end_is_pointed_out_on_uneven_trees() -> None:
    result = CliRunner().invoke(APP, ["--tree", "[1,[2,3]]", "-a", "001-minimax,000-negamax"])
    assert "001-minimax never asks if the game is over" in result.stderr
    assert "000-negamax" not in result.stderr


def test_a_tree_beyond_the_bound_ends_with_a_clear_message() -> None:
    advice = "visits more than 6 nodes: ask for less depth, or allow more with --max-nodes"
    with pytest.raises(UserError, match=f"no algorithm could finish: the search {advice}"):
        run("--tree", "[[1,2],[3,4]]", "--max-nodes", "6")
    algorithms = "minimax,alphabeta-failsoft,003-minmax"
    result = CliRunner().invoke(APP, ["--tree", "[[1,2],[1,4]]", "--max-nodes", "6", "-a", algorithms])
    assert f"minimax, 003-minmax: the search {advice}" in result.stderr
    assert "alphabeta-failsoft" in result.stdout


def test_every_reason_is_given_once_with_those_it_is_for() -> None:
    with pytest.raises(
        UserError, match=r"finish: minimax: the search looked at node 1.*; preclusion: the search stops at the"
    ):
        run("--tree", "[null,5]", "-a", "minimax,preclusion")
    result = CliRunner().invoke(APP, ["--tree", "[0,5]", "-a", "minimax,preclusion", "--trace"])
    assert "preclusion: the search stops at the value 1, so every leaf must be -1, 0 or 1" in result.stderr
    assert "(not drawn: the search stops at the value 1" in result.stdout
    assert answers("--tree", "[0,1,null]", "-a", "preclusion")["algorithms"][0]["value"] == 1


def test_a_drawing_that_nobody_would_read_is_not_drawn() -> None:
    tree = f"[{','.join(['1'] * 2500)}]"
    assert "(not drawn: it would have 2501 lines" in run("--tree", tree, "-a", "minimax", "--trace")


def test_the_search_of_one_algorithm_is_drawn_into_a_file(tmp_path: Path) -> None:
    file = tmp_path / "search.svg"
    arguments = ("--tree", "001", "--svg", str(file))
    assert "001-alphabeta" in run(*arguments, "-a", "001-alphabeta")
    drawn = file.read_text("utf-8")
    assert drawn == explain("001", "001-alphabeta").svg()
    run(*arguments, "-a", "001-alphabeta", "--view", "mover")
    assert file.read_text("utf-8") == explain("001", "001-alphabeta").seen_by("mover").svg() != drawn
    with pytest.raises(UserError, match="--explain and --svg need one algorithm"):
        run(*arguments)
    with pytest.raises(UserError, match="cannot be written: No such file"):
        run("--tree", "001", "-a", "minimax", "--svg", str(tmp_path / "missing" / "search.svg"))
    with pytest.raises(UserError, match="no algorithm could finish"):
        run(*arguments, "-a", "minimax", "--max-nodes", "5")


def test_what_each_technique_saves_is_a_table_with_a_sentence_for_each() -> None:
    arguments = ("--tree", "[5,[[[3,9],7],6]]", "--explain")
    lines = run(*arguments).splitlines()
    assert lines[3].split() == ["deep", "cut-offs", "yes", "8", "9", "11%"]
    assert [line.partition(":")[0] for line in lines if line.endswith("nodes saved.")] == [
        "window",
        "deep cut-offs",
        "order",
    ]
    found = answers(*arguments)
    assert (found["algorithm"], found["depth"]) == ("alphabeta-failhard", 4)
    assert [(row["nodes"], row["nodes_without"]) for row in found["techniques"][:2]] == [(8, 9), (8, 9)]
    assert run(*arguments, "--format", "csv").splitlines()[0] == "technique,in_play,nodes,nodes_without,saved,says"
    assert answers(*arguments, "-a", "minimax")["techniques"][0]["in_play"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a game, or draw a tree"),
        (("reversi", "--tree", "[1]"), "name a game, or draw a tree"),
        (("go",), "there is no game 'go'"),
        (("--tree", "[1,2"), "a tree is nested lists"),
        (("--tree", "[[[1]"), "a tree is nested lists"),
        (("--tree", "005"), "a drawn tree is a list such as .* or one of 000, 001"),
        (("--tree", "tree"), "a drawn tree is a list such as .* or one of 000, 001"),
        (("--tree", "[1]", "--position", "x"), "--position is for games, not for drawn trees"),
        (("--tree", "[1]", "--moves", "e4"), "--moves is for games"),
        (("--tree", "[1]", "--option", "a=b"), "--option is for games"),
        (("--tree", "[1]", "--evaluation", "fours"), "--evaluation is for games"),
        (("--tree", "[1]", "--candidates-only"), "--candidates-only is for games"),
        (("--tree", "[1]", "--quiescence"), "--quiescence is for games"),
        (("--tree", "[1]", "--eval-granularity", "2"), "--eval-granularity is for games"),
        (("--tree", "[1]", "--wins", "one"), "--wins is for games"),
        (("nim", "--min"), "--min is for drawn trees, not for games"),
        (("--tree", "[1]", "-a", "mtdf"), "there is no algorithm 'mtdf'"),
        (("--tree", "[1]", "--window", "3"), "a window is two whole numbers"),
        (("--tree", "[1]", "--window", "5,5"), "a window has ALPHA below BETA"),
        (("--tree", "[1]", "--window", "a,b"), "a window is two whole numbers"),
        (("--tree", "[1]", "--sort-top", "2", "--heap"), "a sorting takes all moves"),
        (("--tree", "[[1],[2]]", "--order", "evaluation"), "no algorithm could finish: node 1 has children"),
        (("nim", "--order", "perfect"), "it is for drawn trees only"),
        (("nim", "--position", "0,0 normal 1"), "the game is over"),
        (("nim", "--evaluation", "material"), "Nim has no evaluation 'material'"),
        (("nim", "--moves", "a9"), "not legal"),
        (("nim", "--position", " "), "the position is empty"),
        (("--tree", "[1]", "--explain", "-a", "minimax,002-ab"), "--explain and --svg need one algorithm"),
        (("--tree", "[1]", "--explain", "--trace"), "--explain makes many searches"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)


def test_the_list_shows_every_listing_with_its_contract() -> None:
    listed = json.loads(run("--list", "--format", "json"))
    assert [row["name"] for row in listed] == [listing.name for listing in LISTINGS]
    assert {"fail-soft", "fail-hard", "theorem", "exact", "fail-soft, strict"} == {row["fail"] for row in listed}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_drawn_tree_of_the_books_can_be_asked_for_by_name(name: str) -> None:
    assert answers("--tree", name, "-a", "002-ab")["tree"] == EXAMPLES[name].text


@pytest.mark.slow
def test_a_position_is_analysed_by_twins_and_as_printed_alike() -> None:
    arguments = ("tictactoe", "--moves", "b2 a1", "-d", "4", "-a", "minimax,alphabeta-failhard,preclusion", "--no-time")
    compiled, printed = answers(*arguments), answers(*arguments, "--as-printed")
    assert compiled == printed
    assert compiled["to_move"] == "X"
    assert [row["problem"] for row in compiled["algorithms"] if "problem" in row] == []


@pytest.mark.slow
def test_the_parameters_of_evaluation_and_order_reach_the_search() -> None:
    plain = answers("tictactoe", "-d", "3", "-a", "alphabeta-failhard", "--no-time")["algorithms"][0]
    coarse = answers("tictactoe", "-d", "3", "-a", "alphabeta-failhard", "--eval-granularity", "10", "--no-time")[
        "algorithms"
    ][0]
    ordered = answers("tictactoe", "-d", "3", "-a", "alphabeta-failhard", "--order", "evaluation")["algorithms"][0]
    assert coarse["value"] == int(plain["value"] / 10)
    assert ordered["value"] == plain["value"]
    assert ordered["nodes"] < plain["nodes"]


@pytest.mark.slow
def test_values_of_games_are_in_words() -> None:
    row = answers("tictactoe", "--position", "3x3x3 XX-OO---- X", "-d", "3", "-a", "minimax")["algorithms"][0]
    assert (row["value_text"], row["move"]) == ("won in 1 ply", "c1")


@pytest.mark.slow
def test_drawn_trees_need_no_compiler() -> None:
    program = (
        "import sys; from tabiya.cli.players.analyse import analyse; import typer\n"
        "a = typer.Typer(); a.command()(analyse)\n"
        "try:\n    a(['--tree', '001', '--trace', '--no-time'])\nexcept SystemExit as end:\n    assert not end.code\n"
        "assert not {'numba', 'numpy'} & set(sys.modules), 'a compiler was loaded'"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
