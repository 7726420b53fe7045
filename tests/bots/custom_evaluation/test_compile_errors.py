"""What is told of an author's mistake: the line of the author's own file, and a cause that is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.bots.custom_evaluation.player import compile_for
from tabiya.bots.players.spec import PlayerError
from tests.bots.custom_evaluation.authors import own

pytestmark = pytest.mark.slow

HEAD = """from tabiya.evaluators import evaluator, popcount

TABLE = {1: 3}


def twice(n):
    return twice(n - 1) if n else 0


class Mine(evaluator("reversi")):
    def evaluate(self, state):
        """  # its first line is the file's 12th


def lines_reported(folder: Path, *lines: str) -> list[str]:
    """What is said of such an `evaluate`, and at the end why it cannot play, if so."""
    custom, printed = own(folder, HEAD + "\n        ".join(lines) + "\n"), list[str]()
    try:
        compile_for(custom, "reversi", printed.append)
    except PlayerError as error:
        printed.append(str(error))
    return printed


SLOW = "Mine.evaluate cannot be compiled and is called in Python, which is much slower: "
RAISES = "Mine.evaluate fails when it is compiled and is called in Python, which is much slower: "


NO_RETURN = (
    f"{SLOW}some way through it ends without `return` and a number",
    "Mine cannot play: evaluate returns nothing; does it end without `return`?",
)
NO_NUMBER = f"{SLOW}mine.py, line 12: TABLE is neither a number, an array nor a function of your own files"

# what is wrong -> the lines of `evaluate`, and how the sentences that are said of them begin
MISTAKES = {
    "dictionary": (("return popcount(state.mine) * TABLE.get(1, 2)",), (NO_NUMBER,)),
    "key": (("return TABLE[popcount(state.mine)]",), (NO_NUMBER, "Mine cannot play: mine.py, line 12: KeyError: 2")),
    "a way without return": (("if popcount(state.mine) > 10:", "    return 5"), NO_RETURN),
    "no return": (("pass",), NO_RETURN),
    "text": (
        ('return "hello"',),
        (
            f"{SLOW}evaluate returns text, which is not a number",
            "Mine cannot play: evaluate returns 'hello', which is not a number",
        ),
    ),
    "text one way": (
        ("return 5 if popcount(state.mine) > 10 else 'x'",),
        (f"{SLOW}mine.py, line 12: it is once ", "Mine cannot play: evaluate returns 'x', which is not a number"),
    ),
    "a function's argument": (("return int('5')",), (f"{SLOW}mine.py, line 12: int cannot be used with (5)",)),
    "generator": (
        ("return sum(x for x in (1, 2))",),
        (f"{SLOW}mine.py, line 12: `yield` and `sum(x for ...)` cannot be compiled; write a loop",),
    ),
    "field": (("return popcount(state.mein)",), ("Mine cannot play: the position has no field mein",)),
    "name": (
        ("return popcont(state.mine)",),
        (f"{SLOW}popcont is not defined", "Mine cannot play: mine.py, line 12: NameError: name 'popcont'"),
    ),
    "division": (
        ("n = popcount(state.mine)", "return 1 // (n - 2)"),
        (
            f"{RAISES}integer division by zero",
            "Mine cannot play: mine.py, line 13: ZeroDivisionError: ",
        ),
    ),
    "assertion": (
        ("assert popcount(state.mine) > 2", "return 1"),
        ("Mine cannot play: mine.py, line 12: AssertionError",),
    ),
    "values": (
        ("if popcount(state.mine) == 2:", "    raise ValueError('discs', popcount(state.mine))", "return 1"),
        (
            f"{RAISES}it raises an error with values in it",
            "Mine cannot play: mine.py, line 13: ValueError: ('discs', 2)",
        ),
    ),
    "recursion": (("return twice(3)",), (f"{SLOW}twice calls itself, which cannot be compiled; write a loop",)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_has_the_authors_line_and_the_true_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    """In the folder of the file, where code without a file seems to be, too."""
    monkeypatch.chdir(tmp_path)
    lines, printed = MISTAKES[mistake]
    for each, part in zip(lines_reported(tmp_path, *lines), printed, strict=True):
        assert each.startswith(part)
        assert "Resolution failure" not in each
