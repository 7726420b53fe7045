from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from scripts.mutation_testing import KILLED, SURVIVED, Mutant, keep, mutants_of, turns_a_side, verdict_on

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="mutants are forked")
SOURCE = '''"""Docstring with - and >."""
from typing import Any

LIMIT: int = 3


def larger(a: int, b: int = 2) -> int:
    """Not to be changed: a > b."""
    if a > b:
        return -a
    x = max(a, b) + 1
    return x if a and not b else f(a, b)
'''


def changes(source: str, tmp_path: Path) -> list[str]:
    file = tmp_path / "some.py"
    file.write_text(source)
    return [mutant.what for mutant in mutants_of(file)]


def test_every_operator_number_call_and_statement_is_changed_in_turn(tmp_path: Path) -> None:
    found = changes(SOURCE, tmp_path)
    for expected in (
        "LIMIT: int = 3  ->  LIMIT: int = 4",
        "if a > b:  ->  if a >= b:",
        "if a > b:  ->  if a < b:",
        "if a > b:  ->  if False:",
        "return -a  ->  return a",
        "return -a  ->  pass",
        "x = max(a, b) + 1  ->  x = max(a, b) - 1",
        "x = max(a, b) + 1  ->  x = max(a, b) + 2",
        "x = max(a, b) + 1  ->  x = min(a, b) + 1",
        "x = max(a, b) + 1  ->  pass",
        "return x if a and (not b) else f(a, b)  ->  return f(a, b) if a and (not b) else x",
        "return x if a and (not b) else f(a, b)  ->  return x if a or not b else f(a, b)",
        "return x if a and (not b) else f(a, b)  ->  return x if a and b else f(a, b)",
        "return x if a and (not b) else f(a, b)  ->  return x if a and (not b) else f(b, a)",
    ):
        assert expected in found, expected
    assert len(found) == len(set(found))


def test_docstrings_annotations_defaults_and_imports_are_left_alone(tmp_path: Path) -> None:
    assert not [what for what in changes(SOURCE, tmp_path) if "Docstring" in what or "b: int" in what or "Any" in what]


def test_the_listings_change_places_of_players_and_drop_signs() -> None:
    found = [mutant.what for mutant in mutants_of(Path("bots/textbook/text_000/alphabeta.py"))]
    assert (
        "x = RedValue(c, depth + 1, alpha, beta, MaxDepth)  ->  x = BlueValue(c, depth + 1, alpha, beta, MaxDepth)"
        in found
    )
    found = [mutant.what for mutant in mutants_of(Path("bots/textbook/text_000/negamax.py"))]
    assert "return sign[color] * b.analysis()  ->  return sign[color] + b.analysis()" in found
    assert (
        "x = -NegaMax(c, depth + 1, 1 - color, MaxDepth)  ->  x = NegaMax(c, depth + 1, 1 - color, MaxDepth)" in found
    )


def test_dropped_signs_and_exchanged_players_are_recognised() -> None:
    found = [mutant for mutant in mutants_of(Path("bots/textbook/text_003/minmax.py")) if turns_a_side(mutant)]
    assert [mutant.what.partition("  ->  ")[2] for mutant in found] == [
        "return Max(depth, b)",
        "return Min(b, depth)",
        "return Min(depth, b)",
        "return Max(b, depth)",
        "best = INFINITY",
        "val = Min(depth - 1, b.play(m))",
        "val = Max(b.play(m), depth - 1)",
        "val = Max(depth - 1, b.play(m))",
        "val = Min(b.play(m), depth - 1)",
    ]


@pytest.mark.slow
def test_a_mutant_is_killed_by_a_failing_test_and_the_file_is_not_touched() -> None:
    path = Path("bots/textbook/text_002/ab.py")
    before = (Path(__file__).parents[2] / path).read_text()
    broken = next(mutant for mutant in mutants_of(path) if mutant.what.startswith("if P.over:"))
    tests = ["tests/bots/textbook/test_examples.py", "-k", "002"]
    assert verdict_on(broken, tests) == KILLED
    assert verdict_on(Mutant(path, 0, "nothing", before), tests) == SURVIVED
    assert (Path(__file__).parents[2] / path).read_text() == before


def test_a_score_is_kept_and_so_are_the_reasons_of_survivors(tmp_path: Path) -> None:
    file, survivor = tmp_path / "kept.json", Mutant(Path("a.py"), 3, "x > y  ->  x >= y", "")
    keep(file, "all", "python -m ...", {KILLED: 4, SURVIVED: 1}, [survivor])
    kept = json.loads(file.read_text())
    assert kept["all"]["mutants"] == 5
    assert kept["all"]["survivors"] == [{"mutant": "a.py: x > y  ->  x >= y", "why": ""}]
    kept["all"]["survivors"][0]["why"] = "x is never y"
    file.write_text(json.dumps(kept))
    keep(file, "all", "python -m ...", {KILLED: 5, SURVIVED: 1}, [survivor])
    assert json.loads(file.read_text())["all"]["survivors"][0]["why"] == "x is never y"
