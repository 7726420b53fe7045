"""What is told of an author's mistake: the line of the author's own file, and a cause that is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.bots.custom_evaluation.player import compile_for
from tabiya.bots.players.from_file import load_custom_evaluator
from tabiya.bots.players.spec import PlayerError

pytestmark = pytest.mark.slow

HEAD = """from tabiya.evaluators import evaluator, popcount

TABLE = {1: 3}


def twice(n):
    return twice(n - 1) if n else 0


class Mine(evaluator("reversi")):
    def evaluate(self, state):
        """  # its first line is the file's 12th


def told(folder: Path, *lines: str) -> list[str]:
    """What is said of such an `evaluate`, and at the end why it cannot play, if so."""
    (folder / "mine.py").write_text(HEAD + "\n        ".join(lines) + "\n")
    own, said = load_custom_evaluator(str(folder / "mine.py"), "Mine"), list[str]()
    assert own is not None
    try:
        compile_for(own, "reversi", said.append)
    except PlayerError as error:
        said.append(str(error))
    return said


SLOW = "Mine.evaluate cannot be compiled and is called in Python, which is much slower: "
RAISES = "Mine.evaluate fails when it is compiled and is called in Python, which is much slower: "


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            ("n = popcount(state.mine)", "return n * TABLE.get(1, 2)"),
            [f"{SLOW}mine.py, line 13: TABLE is neither a number, an array nor a function of your own files"],
        ),
        (
            ("if popcount(state.mine) > 10:", "    return 5"),
            [
                f"{SLOW}some way through it ends without `return` and a number",
                "Mine cannot play: evaluate returns nothing; does it end without `return`?",
            ],
        ),
        (
            ("pass",),
            [
                f"{SLOW}some way through it ends without `return` and a number",
                "Mine cannot play: evaluate returns nothing; does it end without `return`?",
            ],
        ),
        (
            ('return "hello"',),
            [
                f"{SLOW}evaluate returns text, which is no number",
                "Mine cannot play: evaluate returns 'hello', which is no number",
            ],
        ),
        (
            ("return 5 if popcount(state.mine) > 10 else 'x'",),
            [
                f"{SLOW}mine.py, line 12: it is once ",
                "Mine cannot play: evaluate returns 'x', which is no number",
            ],
        ),
        (
            ("return TABLE[popcount(state.mine)]",),
            [
                f"{SLOW}mine.py, line 12: TABLE is neither a number, an array nor a function of your own files",
                "Mine cannot play: mine.py, line 12: KeyError: 2",
            ],
        ),
        (
            ("return popcount(state.mein)",),
            ["Mine cannot play: the position has no field mein"],
        ),
        (
            ("n = popcount(state.mine)", "return 1 // (n - 2)"),
            [
                f"{RAISES}integer division by zero",
                "Mine cannot play: mine.py, line 13: ZeroDivisionError: ",
            ],
        ),
        (
            ("assert popcount(state.mine) > 2", "return 1"),
            ["Mine cannot play: mine.py, line 12: AssertionError"],
        ),
        (
            ("if popcount(state.mine) == 2:", "    raise ValueError('discs', popcount(state.mine))", "return 1"),
            [
                f"{RAISES}it raises an error with values in it",
                "Mine cannot play: mine.py, line 13: ValueError: ('discs', 2)",
            ],
        ),
        (("return twice(3)",), [f"{SLOW}twice calls itself, which cannot be compiled; write a loop"]),
    ],
    ids=[
        "dictionary",
        "a way without return",
        "no return",
        "text",
        "text one way",
        "key",
        "field",
        "division",
        "assertion",
        "values",
        "recursion",
    ],
)
def test_what_is_said_is_the_authors_line_and_the_true_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...], said: list[str]
) -> None:
    """In the folder of the file, where code without a file seems to be, too."""
    monkeypatch.chdir(tmp_path)
    found = told(tmp_path, *lines)
    for each, part in zip(found, said, strict=True):
        assert each.startswith(part)
        assert "Resolution failure" not in each
