"""The drawing as text, up to a step. What whole drawings look like is in docs/explanation/textbooks.md, made again."""

from __future__ import annotations

from tabiya.bots.textbook.recording.drawing import View
from tabiya.bots.textbook.recording.explanation import Explanation
from tabiya.bots.textbook.recording.question import SearchQuestion

WINDOW = "[-inf, inf]"


def drawn(step: int | None, view: View = View.MAX) -> list[str]:
    explained = Explanation.of(SearchQuestion(tree="[[3,5],[2,7]]", algorithm="000-alphabeta")).seen_by(view)
    return str(explained if step is None else explained.at(step)).splitlines()


def test_a_drawing_grows_step_by_step() -> None:
    root, first = f"#0 Max {WINDOW}", f"`---- #1 Min {WINDOW}"
    assert drawn(0) == [root]
    assert drawn(1) == [root, first]
    assert drawn(2) == [root, first, f"      `---- #2 {WINDOW}"]
    assert drawn(3) == [root, first, f"      `---- #2 {WINDOW} = 3"]
    assert drawn(6)[:2] == [root, f"`---- #1 Min {WINDOW} = 3"]


def test_what_was_cut_off_is_struck_out_when_the_node_ends() -> None:
    assert drawn(9)[-2:] == ["`---- #4 Min [3, inf]", "      `---- #5 [3, inf] = 2"]
    assert drawn(10)[-3:] == ["`---- #4 Min [3, inf] <= 2", "      +---- #5 [3, inf] = 2", "      `-//- #6 7"]
    assert drawn(11) == drawn(None)


def test_the_mover_sees_its_own_values() -> None:
    assert drawn(None, View.MOVER)[-3:-1] == ["`---- #4 Min [-inf, -3] >= -2", "      +---- #5 [3, inf] = 2"]
