"""An index beyond the end of a list is told before any game; compiled code would read whatever lies there."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

from tabiya.bots.custom_evaluation.bounds_check import index_error_in
from tabiya.bots.custom_evaluation.compile import CustomEvaluator
from tabiya.bots.custom_evaluation.player import compile_for
from tabiya.bots.players.spec import PlayerError
from tabiya.games.registry import load_game
from tests.bots.custom_evaluation.authors import own

HEAD = """import numpy as np
from tabiya.evaluators import evaluator, popcount, squares

TABLE = np.arange(40)


class Mine(evaluator("reversi")):
    few = [1, 2, 3]

"""


def written(folder: Path, *lines: str) -> CustomEvaluator:
    return own(folder, HEAD + "\n".join(f"    {line}" for line in lines) + "\n")


EVALUATE = "def evaluate(self, state):"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((EVALUATE, "    return self.few[popcount(state.mine)]"), "list index out of range"),
        ((EVALUATE, "    return TABLE[popcount(state.mine | state.theirs)]"), "index 40 is out of bounds"),
        ((EVALUATE, "    return super().evaluate(state) + (1, 2)[popcount(state.theirs)]"), "tuple index out of range"),
        (("def priority(self, state, move):", "    return self.few[move]"), "list index out of range"),
    ],
    ids=["list", "late in the game", "beside the engine's own", "priority"],
)
def test_an_index_beyond_the_end_is_found_and_reported(tmp_path: Path, lines: tuple[str, ...], why: str) -> None:
    found = written(tmp_path, *lines)
    assert why in str(index_error_in(found, load_game("reversi")))
    with pytest.raises(PlayerError, match=f"^Mine cannot play: mine.py, line 11: IndexError: {why}"):
        compile_for(found, "reversi", lambda sentence: None)


@pytest.mark.parametrize(
    "line",
    [
        "return self.few[popcount(state.mine) % 3 - 1]",
        "return TABLE[popcount(state.mine | state.theirs) // 2]",
        "return [][0] if popcount(state.mine) > 64 else state.mein",
        "return 1 // 0",
        "return int(TABLE[0] * state.mine * 0x9E3779B97F4A7C15 >> 3)",
    ],
)
def test_nothing_else_is_its_matter(tmp_path: Path, line: str) -> None:
    assert index_error_in(written(tmp_path, EVALUATE, f"    {line}"), load_game("reversi")) is None


@pytest.mark.parametrize("last", ["return 0", "while True: SEEN.append(2)"])
def test_what_is_slow_in_python_or_never_ends_is_not_tried_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    clock = itertools.count()
    monkeypatch.setattr("tabiya.bots.custom_evaluation.bounds_check.now_ns", lambda: next(clock))
    monkeypatch.setattr("tabiya.bots.custom_evaluation.bounds_check.LONGEST_NS", 20_000)  # looks at the clock
    found = written(tmp_path, EVALUATE, "    SEEN.append(1)", f"    {last}")
    seen = vars(sys.modules[found.author_class.__module__])["SEEN"] = list[int]()
    before = sys.gettrace()
    assert index_error_in(found, load_game("reversi")) is None
    assert sys.gettrace() is before
    assert seen
    assert next(clock) <= 20_010
