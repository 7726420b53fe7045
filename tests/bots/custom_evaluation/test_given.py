"""Parameters in play: one compilation for all values, and the same values compiled, asked in Python and interpreted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.custom_evaluation.evaluation import Evaluation
from tabiya.bots.custom_evaluation.parameter_binding import ParameterBound
from tabiya.bots.custom_evaluation.parameters import ParameterError
from tabiya.bots.custom_evaluation.player import compile_for
from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.build import build_player
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.custom_evaluation.authors import own
from tests.bots.positions import unfinished
from tests.bots.requests import request_at
from tests.processes import python

pytestmark = pytest.mark.slow
NOT_KEPT = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # there is a pointer in it

TEXT = """
import numpy as np
from tabiya.evaluators import evaluator, popcount, squares

def near(rings, count):
    return rings[-1] + count * rings[0] + len(rings)

class Base(evaluator("reversi")):
    corner = 300
    share = 0.5
    rings = [1, 2, 3]

    def evaluate(self, state):
        return self.corner * self.lead(state) + int(10 * self.share)

    def lead(self, state):
        return popcount(state.mine & self.mask) - popcount(state.theirs & self.mask)

    mask = squares("a1 h1 a8 h8 d3 e3 c4")

class Mine(Base):
    corner = 200
    table = ((1, 2), (3, 4))
    weights = np.array([0.5, 0.25])
    note = "not a number"

    def evaluate(self, state):
        total = 0
        for worth in self.rings:
            total += worth
        total += near(self.rings, popcount(state.mine)) + self.table[1][0] + int(8 * self.weights[1])
        return super().evaluate(state) + total
"""
OTHER = {"corner": -40, "share": 2.25, "rings": [5, 6, 70], "table": ((0, 0), (90, 0)), "weights": [0, 1], "mask": 255}
INTERPRETED = """
import sys
import numpy as np
from tests.bots.custom_evaluation.test_given import OTHER, some_positions, value
from tabiya.bots.players.from_file import load_custom_evaluator
from tabiya.games.registry import load_game

np.seterr(all="ignore")
found = load_custom_evaluator(sys.argv[1], "Mine")
for given in ({}, OTHER):
    evaluator = found.evaluator_of(load_game("reversi"), given)
    print([value(evaluator, position) for position in some_positions()])
"""
KEPT = """
import sys
from tests.bots.custom_evaluation.test_given import some_positions, value
from tabiya.bots.players.from_file import load_custom_evaluator
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.registry import load_game

evaluator = load_custom_evaluator(sys.argv[1], "Mine").evaluator_of(load_game("reversi"), {"corner": int(sys.argv[2])})
found = value(evaluator, some_positions()[5])
print(found, "from the cache" if evaluation_of.stats.cache_hits else "compiled")
"""


def some_positions() -> tuple[Position, ...]:
    return unfinished("reversi", 12, 3)


def value(evaluator: object, position: Position) -> int:
    return int(evaluation_of(evaluator, position.state))


def expected(position: Position, given: dict[str, Any]) -> int:
    """The evaluation of TEXT, told once more in plain Python."""
    numbers: dict[str, Any] = {"corner": 200, "share": 0.5, "rings": [1, 2, 3], "table": ((1, 2), (3, 4))}
    numbers |= {"weights": [0.5, 0.25], "mask": sum(1 << square for square in (0, 7, 56, 63, 19, 20, 26))} | given
    mine, theirs = int(position.state.mine), int(position.state.theirs)
    lead = (mine & numbers["mask"]).bit_count() - (theirs & numbers["mask"]).bit_count()
    rings, discs = numbers["rings"], mine.bit_count()
    total = sum(rings) + rings[-1] + discs * rings[0] + 3 + numbers["table"][1][0] + int(8 * numbers["weights"][1])
    return int(numbers["corner"] * lead + int(10 * numbers["share"]) + total)


def test_other_values_are_other_evaluations_and_the_same_code(tmp_path: Path) -> None:
    game, found = load_game("reversi"), own(tmp_path, TEXT)
    evaluator, other = found.evaluator_of(game), found.evaluator_of(game, OTHER)
    assert isinstance(evaluator, ParameterBound)
    for position in some_positions():
        assert value(evaluator, position) == expected(position, {})
        compiled = len(evaluation_of.signatures)
        assert value(other, position) == expected(position, OTHER)
        for corner in range(-1_000, 1_000, 100):
            evaluator.give({"corner": corner})
            assert value(evaluator, position) == expected(position, {"corner": corner})
        evaluator.give({"corner": 200})
        assert len(evaluation_of.signatures) == compiled


@NOT_KEPT
def test_what_is_asked_in_python_or_interpreted_has_the_same_values(tmp_path: Path) -> None:
    game, found = load_game("reversi"), own(tmp_path, TEXT)
    found.call_in_python("evaluate")
    answers = []
    for given in ({}, OTHER):
        evaluator = found.evaluator_of(game, given)
        assert [value(evaluator, position) for position in some_positions()] == [
            expected(p, given) for p in some_positions()
        ]
        answers.append(str([expected(position, given) for position in some_positions()]))
    found.raise_callback_error()
    result = python("-c", INTERPRETED, str(tmp_path / "mine.py"), NUMBA_DISABLE_JIT="1")
    assert result.splitlines() == answers


def test_the_next_process_finds_the_code_and_gives_it_other_values(tmp_path: Path) -> None:
    own(tmp_path, TEXT)
    result = [python("-c", KEPT, str(tmp_path / "mine.py"), corner) for corner in ("7", "-7")]
    position = some_positions()[5]
    first, second = (expected(position, {"corner": corner}) for corner in (7, -7))
    assert result == [f"{first} compiled\n", f"{second} from the cache\n"]


@NOT_KEPT
def test_two_evaluators_of_one_class_have_each_their_own_values(tmp_path: Path) -> None:
    game, found, position = load_game("reversi"), own(tmp_path, TEXT), some_positions()[5]
    for _ in range(2):
        one, other = found.evaluator_of(game, {"corner": 1}), found.evaluator_of(game, {"corner": 1_000})
        assert value(one, position) == expected(position, {"corner": 1})
        assert value(other, position) == expected(position, {"corner": 1_000})
        found.call_in_python("evaluate")


def test_it_plays_with_what_its_player_text_says(tmp_path: Path) -> None:
    own(tmp_path, TEXT)
    (tmp_path / "best.json").write_text('{"rings": [0, 0, 0], "corner": 5}')
    position, answers = some_positions()[5], []
    for options in ("", "?corner=-200", f"?{tmp_path / 'best.json'}&corner=-200&rings=1,2,3"):
        player = build_player(f"{tmp_path / 'mine.py'}:Mine:3{options}", table_mb=1)
        player.new_match(MatchInfo(match=1, game="reversi"))
        answers.append(player.choose(request_at(position)))
    first, second, third = ((answer.score, answer.nodes, answer.pv) for answer in answers)
    assert first != second
    assert second == third


def test_a_player_text_that_does_not_fit_is_refused_in_words(tmp_path: Path) -> None:
    own(tmp_path, TEXT)
    with pytest.raises(PlayerError, match=r"Mine has no parameter 'cornr' \(it has corner, share"):
        build_player(f"{tmp_path / 'mine.py'}:Mine?cornr=4")
    (tmp_path / "bot.py").write_text("from tabiya import Bot\nclass First(Bot):\n    corner = 3\n")
    with pytest.raises(PlayerError, match="is a bot and takes no parameters"):
        build_player(f"{tmp_path / 'bot.py'}:First?corner=4")


def test_in_a_match_two_of_a_class_are_called_by_their_values(tmp_path: Path) -> None:
    from tabiya.match.participants import (
        name_of_player,  # with a server in its train, which the other processes do not need
    )

    own(tmp_path, TEXT)
    file = f"{tmp_path / 'mine.py'}:Mine:4"
    called = [name_of_player(f"{file}{options}") for options in ("", "?corner=-5&rings=1,2,3", "?some/best.json")]
    assert called == ["Mine", "Mine-corner--5-rings-1-2-3", "Mine-best"]


@pytest.mark.parametrize("name", ["width", "margin", "state", "give"])
def test_a_name_that_the_engine_uses_itself_is_refused(name: str, tmp_path: Path) -> None:
    text = f"from tabiya.evaluators import evaluator\nclass Mine(evaluator('reversi')):\n    {name} = 3\n"
    own(tmp_path, text)
    with pytest.raises(ParameterError, match=f"{name} of Mine is a name that the engine uses; choose another"):
        build_player(f"{tmp_path / 'mine.py'}:Mine")


@pytest.mark.parametrize("line", ["self.corner = 3", "self.rings[0] = 3"])
def test_parameters_are_only_read(line: str, tmp_path: Path) -> None:
    text = TEXT.replace("        total = 0\n", f"        total = 0\n        {line}\n")
    found, lines = own(tmp_path, text), list[str]()
    evaluator = found.evaluator_of(load_game("reversi"))
    with pytest.raises(Exception, match=r"corner|readonly"):
        value(evaluator, some_positions()[0])
    if "corner" in line:
        with pytest.raises(PlayerError, match="Mine cannot play"):
            compile_for(found, "reversi", lines.append)


def test_an_evaluation_is_asked_and_tuned_outside_of_games(tmp_path: Path) -> None:
    own(tmp_path, TEXT)
    mine, position = Evaluation(f"{tmp_path / 'mine.py'}:Mine?corner=7"), some_positions()[5]
    assert mine.parameters["corner"] == 7
    assert mine.value(position) == expected(position, {"corner": 7})
    first = mine.search(position, depth=3)
    mine.give(corner=-900, rings=[0, 0, 9])
    assert mine.value(position) == expected(position, {"corner": -900, "rings": [0, 0, 9]})
    assert mine.search(position, depth=3).value != first.value
    mine.give(corner=7, rings=[1, 2, 3])
    assert mine.search(position, depth=3)[:5] == first[:5]
    with pytest.raises(PlayerError, match="takes 3 whole numbers"):
        mine.give(rings=[1])
    with pytest.raises(PlayerError, match="is not a class that derives from a game's evaluator"):
        Evaluation("greedy")
    with pytest.raises(PlayerError, match="Mine plays reversi; name one of them, not 'chess'"):
        Evaluation(f"{tmp_path / 'mine.py'}:Mine", "chess")
