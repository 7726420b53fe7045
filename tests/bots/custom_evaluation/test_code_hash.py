"""What code depends on tells it apart: every value it can reach, by all of its content."""

from __future__ import annotations

import functools
import json
import math
import os
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from tabiya.bots.custom_evaluation.code_hash import CannotCompile, CodeHasher, global_names, is_author_code
from tabiya.bots.custom_evaluation.loader import load
from tests.processes import ROOT, python


def digest(text: str, name: str = "f", **values: Any) -> str:
    """Of the function `name` that the text defines, with these globals."""
    space: dict[str, Any] = values
    exec(compile(textwrap.dedent(text), "<test>", "exec"), space)  # noqa: S102 (as an author's file is run)
    return CodeHasher().of_function(space[name])


def large(last: int) -> Any:
    """More elements than `repr` shows, different in the middle."""
    found = np.zeros(3_000)
    found[1_500] = last
    return found


READS = "def f():\n    return VALUE\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        (0.1, 0.1 + 2**-55),
        ((1, 2), [1, 2]),
        (large(1), large(2)),
        ((large(1), np.zeros(3)), (large(2), np.zeros(3))),
        ([1, [2, (large(1),)]], [1, [2, (large(2),)]]),
        ({"a": large(1)}, {"a": large(2)}),
        (np.zeros(4, np.int64), np.zeros(4, np.uint64)),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (((1,), 2), (1, (2,))),
        (functools.partial, int),
    ],
    ids=str,
)
def test_different_values_have_different_hashes(one: object, other: object) -> None:
    assert digest(READS, VALUE=one) != digest(READS, VALUE=other)
    assert digest(READS, VALUE=one) == digest(READS, VALUE=one)


def test_equal_values_have_equal_hashes_in_any_object() -> None:
    for make in (lambda: (large(1), [300, "x"]), lambda: {"b", "a", "c"}, lambda: {"a": 1 << 70}):
        assert digest(READS, VALUE=make()) == digest(READS, VALUE=make())


FACTORY = """
def make(weight):
    def inner(n):
        return weight * n
    def near(n):
        return inner(n)
    return near
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"{FACTORY}\nf = make(VALUE)\n", "f"),
        (f"{FACTORY}\nnear = make(VALUE)\ndef f():\n    return near(1)\n", "f"),
        ("def f(n, by=VALUE):\n    return n * by\n", "f"),
        ("def f(n, *, by=VALUE):\n    return n * by\n", "f"),
        ("def g(n, by=VALUE):\n    return n * by\ndef f():\n    return g(1)\n", "f"),
        ("def f():\n    return [VALUE for each in (1, 2)]\n", "f"),
        ("def f(n):\n    return VALUE if n else f(n - 1)\n", "f"),
        ("g = njit(lambda n: n * VALUE)\ndef f():\n    return g(1)\n", "f"),
    ],
    ids=["closure", "closure of a helper", "default", "keyword", "helper's default", "inner", "recursive", "compiled"],
)
def test_values_are_found_wherever_code_reaches_them(text: str, name: str) -> None:
    reported = [digest(text, name, VALUE=(large(value),), njit=njit) for value in (1, 2, 1)]
    assert reported[0] == reported[2] != reported[1]


def test_what_code_asks_of_a_module_counts_and_the_rest_of_it_does_not(tmp_path: Path) -> None:
    (tmp_path / "tables_of_own.py").write_text("TABLE = OTHER = 1")
    (tmp_path / "mine.py").write_text("import tables_of_own\ndef f():\n    return tables_of_own.TABLE[0]\n")
    module = load(tmp_path / "mine.py")
    reported = []
    for table, other in ((large(1), 1), (large(2), 1), (large(1), 2)):
        module.tables_of_own.TABLE, module.tables_of_own.OTHER = table, other
        reported.append(CodeHasher().of_function(module.f))
    assert reported[0] == reported[2] != reported[1]


def test_different_code_has_a_different_hash_wherever_it_stands() -> None:
    assert digest("def f():\n    return 1\n") == digest("\n\ndef f():\n    return 1\n")
    assert digest("def f():\n    return 1\n") != digest("def f():\n    return 2\n")
    assert digest("def f(a, b):\n    return a - b\n") != digest("def f(a, b):\n    return b - a\n")


@pytest.mark.parametrize("value", [object(), functools.lru_cache(len), np.array([None]), (1, object())])
def test_values_that_cannot_be_hashed_are_refused_by_name(value: object) -> None:
    with pytest.raises(CannotCompile, match=r"^VALUE: an? .* cannot be used in compiled code$"):
        digest(READS, VALUE=value)


def test_a_compiled_function_with_a_cache_of_its_own_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef g():\n    return 1\ndef f():\n    return g()\n"
    )
    with pytest.raises(CannotCompile, match="g is compiled with cache=True, which may be stale"):
        CodeHasher().of_function(load(tmp_path / "mine.py").f)


def test_what_the_compiler_and_numpy_offer_is_no_obstacle() -> None:
    text = "def f(n):\n    return np.sum(np.zeros(3)) + math.sqrt(n) + U(3) + np.random.rand() + zeros(2)[0]\n"
    assert digest(text, np=np, math=math, U=np.uint64, zeros=np.zeros)


def test_names_are_those_of_globals_and_not_of_attributes() -> None:
    assert global_names(compile("def f(a):\n    return a.mine + here + [there for x in a]", "", "exec")) == {
        "here",
        "there",
    }


def test_code_without_a_file_of_packages_or_of_tabiya_is_not_the_authors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert all(map(is_author_code, ("mine.py", "../mine.py", str(ROOT / "below" / "mine.py"))))
    assert not any(
        map(
            is_author_code,
            ("<string>", np.__file__, str(ROOT / "bots" / "custom_evaluation" / "bits.py"), json.__file__),
        )
    )


KEPT = """
import sys
from tabiya import load_game
from tabiya.evaluators import evaluation

start = load_game("reversi").start()
print(*(evaluation(f"{file}:Pair").value(start) for file in sys.argv[1:]))
"""
MINE = """
from pathlib import Path
import numpy as np
from tabiya.evaluators import evaluator

PAIR = (np.load(Path(__file__).with_name("pair.npy")), np.zeros(3))

class Pair(evaluator("reversi")):
    def evaluate(self, state):
        return int(PAIR[0][1500])
"""


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_files_of_weights_that_have_changed_are_never_played_from_an_old_compilation(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    for value in (5, 7):
        np.save(tmp_path / "pair.npy", large(value))
        result = python("-c", KEPT, "mine.py", cwd=tmp_path, PYTHONPATH=str(ROOT))
        assert result == f"{value}\n"


COMMON = """
from tabiya.evaluators import evaluator, popcount

def doubled(number):
    return 2 * number

class Common(evaluator("reversi")):
    weight = {weight}

    def evaluate(self, state):
        return super().evaluate(state) + doubled(self.weight) * self.discs(state)

    def discs(self, state):
        return popcount(state.mine) + {more}
"""
DERIVED = """
from {module} import Common

class Pair(Common):
    def evaluate(self, state):
        return super().evaluate(state) + 1
"""


@pytest.mark.slow
@pytest.mark.timeout(300)  # three processes compile, on a machine with much else to do
def test_a_class_of_another_place_that_was_edited_is_never_played_from_an_old_compilation(tmp_path: Path) -> None:
    """Numbers, methods and functions of a class that the author's derives from; an installed one calls no functions."""
    lesson, installed, mine = tmp_path / "lesson", tmp_path / "site-packages", tmp_path / "mine"
    for folder in (lesson, installed, mine):
        folder.mkdir()
    modules = {"taught": (lesson, "doubled(self.weight)"), "shipped": (installed, "2 * self.weight")}
    for module in modules:
        (mine / f"from_{module}.py").write_text(DERIVED.format(module=module))
    places = os.pathsep.join(map(str, (ROOT, lesson, installed)))
    files, values = [f"from_{module}.py" for module in modules], []
    for weight, more in ((0, 0), (10, 0), (10, 1)):
        for module, (folder, double) in modules.items():
            text = COMMON.replace("doubled(self.weight)", double).format(weight=weight, more=more)
            (folder / f"{module}.py").write_text(text)
        result = python("-c", KEPT, *files, cwd=mine, PYTHONPATH=places, PYTHONDONTWRITEBYTECODE="1")
        values.append([int(value) for value in result.split()])
    for of_one in zip(*values, strict=True):
        assert [value - of_one[0] for value in of_one] == [0, 40, 60]
