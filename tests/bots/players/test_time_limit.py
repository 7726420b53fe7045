"""How long an author's file may take: tried in processes of their own, since the tests' own limit uses the alarm."""

from __future__ import annotations

import sys

import pytest

from tabiya.bots.players.time_limit import is_compiling
from tests.bots.pool.players import as_numba
from tests.processes import python

PROGRAM = """
import time
from tabiya.bots.players.time_limit import TooSlow, time_limit
from tests.bots.pool.players import as_numba
try:
    with time_limit(0.05):
        {work}
    print("over")
except TooSlow as late:
    print(late)
time.sleep(0.1)  # no alarm is left behind
"""


@pytest.mark.parametrize(
    ("work", "text"),
    [
        ("pass", "over"),
        ("time.sleep(20)", "it is not over after 0.05 s"),
        ("exec('while True:\\n  try: time.sleep(20)\\n  except Exception: pass')", "it is not over after 0.05 s"),
        ("as_numba(time.sleep)(0.2)", "over"),
    ],
)
def test_what_takes_too_long_ends_where_it_stands_unless_something_is_compiled(work: str, text: str) -> None:
    assert python("-c", PROGRAM.format(work=work)) == f"{text}\n"


def test_code_of_the_compiler_is_known_by_its_place() -> None:
    assert not is_compiling(sys._getframe())
    seen: list[bool] = []
    as_numba(lambda _: seen.append(is_compiling(sys._getframe())))(0.0)
    assert seen == [True]
