"""What is loaded behind the conversation: awaited by who needs it, and by nobody once the end has come."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tabiya.bots.players.spec import PlayerError
from tabiya.bots.uci import engine_loader
from tabiya.bots.uci.engine_loader import ConversationEnded, EngineLoader
from tabiya.bots.uci.loop import UciProgram
from tests.processes import python

GAME: Any = object()


class Slow:
    """Loads when it is allowed to; what, is settable."""

    def __init__(self) -> None:
        self.may, self.times = threading.Event(), 0
        self.error: Exception | None = None

    def __call__(self, name: str, evaluator_of: Any) -> Any:
        self.times += 1
        self.may.wait()
        if self.error is not None:
            raise self.error
        return GAME


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    found = Slow()
    monkeypatch.setattr(engine_loader, "_load", found)
    yield found
    found.may.set()


def test_it_is_loaded_once_for_everyone_who_waits(slow: Slow) -> None:
    one = EngineLoader("chess")
    states = [one.runs]
    one.begin()
    one.begin()
    states.append(one.runs)
    slow.may.set()
    assert (one.wait(), one.wait(), slow.times) == (GAME, GAME, 1)
    assert [*states, one.runs] == [False, True, False]
    one.end()
    assert one.wait() is GAME


def test_the_end_of_the_input_ends_waiting(slow: Slow) -> None:
    one = EngineLoader("chess")
    threading.Timer(0.01, one.end).start()
    for _ in range(2):
        with pytest.raises(ConversationEnded):
            one.wait()
    assert one.runs


def test_what_goes_wrong_is_raised_where_it_is_waited_for(slow: Slow) -> None:
    slow.error = ModuleNotFoundError("no compiler")
    slow.may.set()
    program = UciProgram("chess", "Test", lambda line: None)
    with pytest.raises(ModuleNotFoundError, match="no compiler"):
        program.handle("isready")
    assert not program.is_loading


def test_a_player_that_cannot_be_made_is_reported_and_ends_the_conversation(slow: Slow) -> None:
    slow.error = PlayerError("Some cannot play: evaluate returns nothing")
    slow.may.set()
    printed, over = list[str](), threading.Event()

    def lines() -> Iterator[str]:
        yield "isready"
        over.wait()

    with pytest.raises(PlayerError):
        UciProgram("reversi", "Test", printed.append).run(lines())
    assert printed == ["info string Some cannot play: evaluate returns nothing"]
    over.set()


@pytest.mark.parametrize("last", [["quit"], []])
def test_the_end_is_obeyed_while_an_order_waits(slow: Slow, last: list[str]) -> None:
    printed = list[str]()
    program = UciProgram("chess", "Test", printed.append)
    program.run(["uci", "isready", "go infinite", *last])
    assert printed[-1] == "uciok"
    assert program.is_loading


def test_nothing_is_read_behind_the_order_to_quit(slow: Slow) -> None:
    lines = iter(["uci", "please quit now", "uci"])
    UciProgram("chess", "Test", lambda line: None).run(lines)
    assert list(lines) == ["uci"]


LIGHT = """
import sys
from tabiya.bots.uci.loop import UciProgram

def say(line):
    if line == "uciok":
        print(sorted({"numba", "numpy"} & set(sys.modules)), flush=True)

UciProgram("chess", "Test", say).handle("uci")
import os
os._exit(0)
"""


@pytest.mark.slow
def test_it_says_who_it_is_before_any_compiler_is_loaded() -> None:
    assert python("-c", LIGHT) == "[]\n"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_was_loaded_is_left_to_no_collection_of_garbage() -> None:
    """One took 42 ms, under whatever clock was running."""
    result = python(
        "-c",
        "import gc, tabiya.bots.uci.engine_loader as it; it.EngineLoader('nim').wait(); print(gc.get_freeze_count())",
    )
    assert int(result) > 50_000
