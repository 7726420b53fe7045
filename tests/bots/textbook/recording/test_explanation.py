"""`tabiya.explain`: what can be asked, and what a notebook gets."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import pytest

import tabiya
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.recording.explanation import Explanation
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.recording.scenes import SCENES
from tabiya.games.registry import load_game
from tests.processes import without
from tests.source_rules.sources import ROOT

TREE = [[3, 5], [2, 7]]


def test_a_tree_is_asked_for_as_a_list_as_text_or_by_the_books_name() -> None:
    asked = [tabiya.explain(TREE), tabiya.explain("[[3,5],[2,7]]"), tabiya.explain("001")]
    assert [each.report.value for each in asked] == [3, 3, 0]
    assert {each.question.algorithm for each in asked} == {"001-alphabeta-checked"}
    assert tabiya.explain([5, [3, None]], "alphabeta-failhard", alpha=-9, depth=2).question.alpha == -9


def test_a_scene_is_asked_for_by_name_and_can_be_changed() -> None:
    name = "004-forgets-bounds"
    assert tabiya.explain(name).question == SCENES[name].question.checked()
    assert tabiya.explain(name, "002-ab").report.leaves == 4
    assert tabiya.explain(name, order="worst").question.order == "worst"


@pytest.mark.slow
def test_a_position_of_a_game_keeps_its_moves() -> None:
    position = load_game("tictactoe").start().play("b2").play("a1")
    explained = tabiya.explain(position, "minimax", depth=2)
    assert (explained.question.moves, explained.question.game) == ("b2 a1", "tictactoe")
    assert (len(explained.recording), explained.drawing.side(0)) == (1 + 7 + 42, "X")


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"position": "005"}, ValueError, "a drawn tree is a list"),
        ({"position": TREE, "algorithm": "mtdf"}, ValueError, "no algorithm 'mtdf'"),
        ({"position": TREE, "plies": 3}, TypeError, r"no switch 'plies' \(it has: .*sort_top"),
        ({"position": TREE, "view": "max"}, TypeError, "no switch 'view'"),
        ({"position": [[1, "x"]]}, ValueError, "a leaf is a whole number"),
    ],
)
def test_a_question_that_cannot_be_explained_gives_an_error(
    asked: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        tabiya.explain(**asked)


def test_a_search_that_is_too_big_is_an_error() -> None:
    with pytest.raises(TooBig, match="more than 6 nodes"):
        Explanation.of(SearchQuestion(tree="001"), limit=6)


def test_up_to_a_step_only_what_has_happened_is_shown() -> None:
    explained = tabiya.explain(TREE, "alphabeta-failhard")
    assert repr(explained) == (
        "<Explanation alphabeta-failhard, 2 plies; value for Max 3, principal variation 1 1; "
        "nodes 6, leaves 3, cut-offs 1, moves not looked at 1, leaves with the best moves first 3>"
    )
    assert repr(explained.at(3)).startswith("<Explanation alphabeta-failhard, 2 plies; step 3 of 11; nodes 3, leaves 1")
    with pytest.raises(IndexError, match="steps 0 to 11"):
        explained.at(12)


def test_the_mover_sees_other_values_than_max() -> None:
    explained = tabiya.explain(TREE, "001-minimax")
    assert "Min = 3" in str(explained)
    assert "Min = -3" in str(explained.seen_by("mover"))
    with pytest.raises(ValueError, match="mean"):
        explained.seen_by("mean")


def test_a_notebook_gets_the_picture_and_the_counts_beside_it() -> None:
    explained = tabiya.explain("000", "000-alphabeta")
    assert explained._repr_svg_() == explained.svg()
    page = ElementTree.fromstring(explained._repr_html_())
    rows = [[cell.text for cell in row] for row in page.iter("tr")]
    assert rows[:4] == [["value for Max", "6"], ["principal variation", "1 1"], ["nodes", "10"], ["leaves", "5"]]
    assert page.find(".//{http://www.w3.org/2000/svg}svg") is not None


def test_a_text_of_too_many_lines_is_not_drawn() -> None:
    assert str(tabiya.explain([1] * 2500, "minimax")) == (
        "(not drawn: it would have 2501 lines, and at most 2000 are drawn)"
    )


@pytest.mark.slow
def test_a_drawn_tree_is_explained_without_the_engine() -> None:
    program = without("numba", "numpy") + (
        "import tabiya\n"
        "assert tabiya.explain('001')._repr_html_()\n"
        "try:\n    tabiya.explain('000-orders')\n"
        "except tabiya.NeedsEngine as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert 'pip install "tabiya[engine]"' in done.stdout, done.stderr
