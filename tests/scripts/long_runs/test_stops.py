"""Random stops in their short form; and that what could be wrong with an answer would be found."""

from __future__ import annotations

import random

import pytest

from scripts.long_runs import stops
from scripts.long_runs.stops import Subject, faults_of
from tabiya.bots.search.limits import SearchResult
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names

BOARD = "3x3x3 XX-OO---- X"


@pytest.mark.slow
@pytest.mark.timeout(300)  # where nothing is compiled yet, five engines are
def test_searches_of_every_game_on_two_threads_are_stopped_and_answer_soundly(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = stops.main(["--stops", "150", "--threads", "2", "--longest", "0.005", "--seed", "3"])
    output = capsys.readouterr().out
    assert code == 0, output
    assert output.endswith("\n0 faults in 150 stops\n")
    assert sum(f"\n{name}: " in output for name in names()) == len(names())


def answer(move: str = "c1", value: int = 29_999, pv: tuple[str, ...] = ("c1",), depth: int = 1) -> SearchResult:
    return SearchResult(move, value, depth, 10, pv, 0.0, exact=False)


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (answer(), ""),
        (answer(value=0, depth=0), ""),
        (answer(value=40, pv=("c1",)), "its value is 40"),
        (answer(value=-29_999), "its value is -29999"),
        (answer(value=30_001), "there is no value 30001"),
        (answer(move="a1", pv=("a1",)), "a1 is not legal"),
        (answer(pv=("c2", "c1")), "c1 is not how its line begins: c2 c1"),
        (answer(pv=("c1", "c2")), "the line c1 c2 is not legal"),
        (answer(pv=()), "is not how its line begins"),
    ],
)
def test_faults_of_an_answer_are_reported(found: SearchResult, fault: str) -> None:
    shown = faults_of(board(), found)
    assert bool(shown) == bool(fault)
    assert fault in " ".join(shown)


def test_a_draw_at_the_end_of_a_line_has_no_winner() -> None:
    last = load_game("tictactoe").parse("3x3x3 XOXXOOO-X X")
    assert faults_of(last, answer("b3", 0, ("b3",))) == []
    assert "its value is 29999" in faults_of(last, answer("b3", 29_999, ("b3",)))[0]


def board() -> Position:
    return load_game("tictactoe").parse(BOARD)


def subject() -> Subject:
    return Subject("tictactoe", threads=2, draw=random.Random(4))


def test_a_search_that_says_something_else_afterwards_is_a_fault() -> None:
    tried = subject()
    tried.stop_once(longest_s=0.001)
    assert tried.tally.faults == []
    tried._undisturbed_results = {
        position: printed._replace(nodes=printed.nodes + 1) for position, printed in tried._undisturbed_results.items()
    }
    tried.stop_once(longest_s=0.001)
    assert len(tried.tally.faults) == 1
    assert "afterwards 3x3x3" in tried.tally.faults[0]


def test_an_answer_that_takes_long_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stops, "MOST_CPU_MS", -1.0)
    monkeypatch.setattr(stops, "AT_ONCE", 1.0)
    tried = subject()
    while not tried.tally.cpu_ms:  # on a busy machine a search may have ended before it is told to
        tried.stop_once(longest_s=0.001)
    assert "ms of the processor" in tried.tally.faults[0]
