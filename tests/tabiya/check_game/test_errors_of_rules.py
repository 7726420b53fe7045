"""An author is told what is wrong with the rules, and where: errors, what a class lacks, a game without an end."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tabiya.check_game import checks
from tabiya.check_game.checks import CHECKS, faults_of
from tabiya.check_game.errors_of_rules import TRACEBACK, explained, explanation
from tabiya.check_game.trace import starts_of_options, trace
from tabiya.games.contract import Option, OptionValue
from tabiya.games.position import Position
from tabiya.games.python_game import PythonGame
from tabiya.games.registry import load_game
from tabiya.games.rules import Outcome

HERE = "test_errors_of_rules.py line"
OF_OURS = f'{TRACEBACK}  File "/elsewhere/position.py", line 3, in play\nRuntimeError: rules have failed\n'


class Unfinished(PythonGame):
    """A class that has been begun."""

    rules_version = 1

    def moves(self, position: object) -> list[str]:
        return [str(1 // 0)]


class Endless(PythonGame):
    """The number goes round, and nobody wins."""

    rules_version = 1
    seat_names, seat_colours = ("First", "Second"), ("#000000", "#ffffff")
    endings = ("won",)
    draws_possible = False
    max_plies = 5
    move_pattern = re.compile("[12]")
    move_hint = "1 or 2"

    def first(self, options: Mapping[str, OptionValue]) -> int:
        return 0

    def read(self, text: str) -> int:
        return int(text)

    def written(self, position: int) -> str:
        return str(position)

    def mover(self, position: int) -> int:
        return position % 2

    def moves(self, position: int) -> list[str]:
        return ["1", "2"]

    def after(self, position: int, move: str) -> int:
        return (position + int(move)) % 10

    def result(self, position: int) -> Outcome | None:
        return None


GAME = Unfinished("unfinished", "Unfinished")
LINE = Unfinished.moves.__code__.co_firstlineno + 1


def test_an_error_is_told_with_the_line_of_the_games_own_file() -> None:
    with pytest.raises(ZeroDivisionError) as error:
        GAME.moves(None)
    assert explained(error.value, GAME) == f"ZeroDivisionError: integer division or modulo by zero, {HERE} {LINE}"


def test_the_error_that_led_to_ours_is_the_one_that_is_told() -> None:
    logged = (
        f'{TRACEBACK}  File "{__file__}", line 7, in moves\n    1 // 0\ntabiya.games.errors.PositionError: no row\n'
    )
    assert explanation(f"rules have failed\n{logged}{OF_OURS}", GAME) == f"PositionError: no row, {HERE} 7"
    assert explanation(OF_OURS, GAME) == "RuntimeError: rules have failed"
    assert explanation("Killed", GAME) == "Killed"


def test_a_compiled_function_called_from_python_is_told_how_to_be_called() -> None:
    error = "TypeError: called_from_python_without_in_python expected 0 arguments, got 2"
    text = explanation(f'{TRACEBACK}  File "{__file__}", line 7, in check\n    f(1, 2)\n{error}\n', GAME)
    assert text == f"Python calls a function marked @njit as in_python(function)(...), {HERE} 7"


def test_what_cannot_be_compiled_is_told_with_its_line() -> None:
    step = "Failed in nopython mode pipeline (step: nopython frontend)\n"
    report = f"{OF_OURS}{step}No implementation of make\n{step}  Unknown attribute 'columns' of type Kernel\n\n"
    place = f'  File "{__file__}", line 9:\n     ^\nDuring: typing of call at /elsewhere/steps.py (48)\n'
    assert explanation(report + place, GAME) == (
        f"cannot be compiled: Unknown attribute 'columns' of type Kernel, {HERE} 9"
    )
    assert "NUMBA_DISABLE_JIT=1" in explanation(report, GAME)


def test_a_class_is_told_what_it_lacks() -> None:
    (fault,) = faults_of(CHECKS["facts"], GAME, 1)
    lacking = fault.removeprefix("Unfinished has no ").split(", no ")
    assert {"after", "first", "move_hint", "written"} <= set(lacking)
    assert not {"moves", "rules_version", "value"} & set(lacking)


@pytest.mark.slow
def test_a_game_without_an_end_is_told_and_does_not_hold_up_the_checks() -> None:
    game = Endless("endless", "Endless")
    assert faults_of(CHECKS["facts"], game, 1) == []
    assert "a game of 6 plies, more than max_plies" in faults_of(CHECKS["bounds"], game, 1)
    assert "a game has more plies than max_plies" in faults_of(CHECKS["ends"], game, 1)[0]


@pytest.mark.slow
def test_an_evaluation_that_looks_like_a_win_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "evaluation_of", lambda evaluator, state: -20_000)
    assert "an evaluation of -20000, beyond 19999" in faults_of(CHECKS["bounds"], load_game("tictactoe"), 1)[0]


class Stuck(Endless):
    """From 4 on no move is legal, and it does not say that the game has ended."""

    def moves(self, position: int) -> list[str]:
        return ["1", "2"] if position < 4 else []


def test_a_position_without_a_move_and_without_an_end_is_named() -> None:
    game = Stuck("stuck", "Stuck")
    assert re.fullmatch(
        "ValueError: no move is legal and the game has not ended: [45]", faults_of(CHECKS["bounds"], game, 1)[0]
    )
    with pytest.raises(ValueError, match=r"no move is legal and the game has not ended: [45]"):
        list(trace(game, 9, 1))


class Counting(Endless):
    """It ends at a number that is an option, and its bound holds for the usual one alone."""

    options = (Option("last", 4, "the number to reach", 4, 9),)

    def first(self, options: Mapping[str, OptionValue]) -> int:
        if options["last"] == 4:
            return 5
        return 0

    def result(self, position: int) -> Outcome | None:
        return Outcome(0, "won") if position == 9 else None

    def moves(self, position: int) -> list[str]:
        return ["1"]


def test_games_with_other_options_keep_to_the_bounds_too() -> None:
    game = Counting("counting", "Counting")
    assert "a game of 6 plies, more than max_plies" in faults_of(CHECKS["bounds"], game, 1)
    assert [start.text() for start in starts_of_options(game)] == ["5", "0"]
    assert sum(line.startswith("0 ") for line in trace(game, 2, 1)) == 1


def test_a_comparison_that_leaves_something_out_is_found_by_the_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game("tictactoe")
    monkeypatch.setattr(Position, "is_same", lambda self, other: True)
    faults = faults_of(CHECKS["wrong texts"], game, 1)
    assert any(fault.startswith("`same` takes '") for fault in faults)
