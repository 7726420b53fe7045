"""Evaluations of one's own in the playing engine: compiled, or asked in Python with a sentence that says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numba import njit

from tabiya.bots.custom_evaluation.compile import CustomEvaluator
from tabiya.bots.custom_evaluation.player import CustomEvaluatorPlayer, compile_for
from tabiya.bots.evaluators.base import EVALUATION_LIMIT
from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.build import build_player, player_games
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.players.spec import PlayerError, parse_player
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.custom_evaluation.authors import own
from tests.bots.positions import unfinished
from tests.bots.requests import request_at

pytestmark = pytest.mark.slow

HEAD = "from tabiya.evaluators import evaluator, popcount, squares\n"
CORNERS = f"""{HEAD}
CORNERS = squares("a1 h1 a8 h8")

def lead(mine, theirs):
    return popcount(mine & CORNERS) - popcount(theirs & CORNERS)

class Mine(evaluator("reversi")):
    def evaluate(self, state):
        return super().evaluate(state) + self.bonus(state)

    def bonus(self, state):
        return 300 * lead(state.mine, state.theirs)
"""


def body(line: str, before: str = "") -> str:
    return f"{HEAD}{before}\nclass Mine(evaluator('reversi')):\n    def evaluate(self, state):\n        {line}\n"


def value(found: CustomEvaluator, position: Position) -> int:
    return int(evaluation_of(found.evaluator_of(position.game), position.state))


def corner_lead(position: Position) -> int:
    mine, theirs = int(position.state.mine), int(position.state.theirs)
    return sum((mine >> square & 1) - (theirs >> square & 1) for square in (0, 7, 56, 63))


def test_the_base_evaluation_helpers_and_functions_of_the_file_are_compiled_with_it(tmp_path: Path) -> None:
    found, game = own(tmp_path, CORNERS), load_game("reversi")
    for position in unfinished("reversi", 20, 3):
        base = int(evaluation_of(evaluator_for(game), position.state))
        assert value(found, position) == base + 300 * corner_lead(position)


def test_two_files_with_one_class_name_and_an_edited_file_share_nothing(tmp_path: Path) -> None:
    position = load_game("reversi").start()
    one, other = own(tmp_path / "one", body("return 1")), own(tmp_path / "other", body("return 2"))
    assert [value(found, position) for found in (one, other)] == [1, 2]
    edited = own(tmp_path / "one", body("return 3"))
    assert [value(found, position) for found in (one, other, edited)] == [1, 2, 3]


def test_an_evaluation_out_of_all_bounds_is_brought_into_them(tmp_path: Path) -> None:
    assert value(own(tmp_path, body("return -1e12")), load_game("reversi").start()) == -EVALUATION_LIMIT


def test_what_cannot_be_compiled_is_asked_in_python_and_plays_the_same(tmp_path: Path) -> None:
    lines, position = list[str](), load_game("reversi").start().play("d3")
    slow = CORNERS.replace(
        "return super()", "marks = {}\n        marks['x'] = '1'; assert str(3)\n        return super()"
    )
    slow = slow.replace("300 * lead", "int(str(300)) * lead")
    answers = []
    for folder, text in (("quick", CORNERS), ("slow", slow)):
        player = CustomEvaluatorPlayer(own(tmp_path / folder, text), depth=4, table_mb=1, report=lines.append)
        player.new_match(MatchInfo(match=1, game="reversi"))
        answers.append(player.choose(request_at(position)))
    assert answers[0].pv == answers[1].pv
    assert (answers[0].score, answers[0].nodes) == (answers[1].score, answers[1].nodes)
    assert len(lines) == 1
    assert lines[0].startswith(
        "Mine.evaluate cannot be compiled and is called in Python, which is much slower: mine.py, line"
    )


def test_only_the_method_that_does_not_compile_is_asked_in_python(tmp_path: Path) -> None:
    """The other one stays quick, and the author is told of the right one."""
    lines = list[str]()
    text = body("return popcount(state.mine)") + "    def priority(self, state, move):\n        return int(str(3))\n"
    found = own(tmp_path, text)
    compile_for(found, "reversi", lines.append)
    assert found.in_python == {"priority"}
    assert [one[: one.index(" cannot")] for one in lines] == ["Mine.priority"]
    assert "mine.py, line 7" in lines[0]


def test_a_method_that_compiles_is_not_blamed_for_another_that_does_not(tmp_path: Path) -> None:
    """This one cannot be asked in Python, so there is nothing that helps."""
    lines = list[str]()
    text = body("return popcount(state.mine)") + "    def swing(self, state):\n        return int(str(3))\n"
    found = own(tmp_path, text)
    with pytest.raises(PlayerError, match=r"^Mine cannot play: mine.py, line 7"):
        compile_for(found, "reversi", lines.append)
    assert not lines
    assert not found.in_python


@njit  # type: ignore[untyped-decorator]
def correction_key_of(evaluator: Any, state: Any) -> Any:
    return evaluator.correction_key(state)


def test_a_hook_by_the_name_that_it_had_before_is_the_hook(tmp_path: Path) -> None:
    lines = (
        "from tabiya.evaluators import evaluator",
        "class Mine(evaluator('chess')):",
        "    def theme(self, state):",
        "        return ~super().theme(state)",
    )
    found, game = own(tmp_path, "\n".join(lines)), load_game("chess")
    mine, ours = (
        int(correction_key_of(evaluator, game.start().state))
        for evaluator in (found.evaluator_of(game), evaluator_for(game))
    )
    assert mine ^ ours == 2**64 - 1


def test_it_is_a_player_of_the_grammar_with_limits_and_games(tmp_path: Path) -> None:
    own(tmp_path, CORNERS)
    file = f"{tmp_path / 'mine.py'}:Mine"
    assert player_games(file) == ("reversi",)
    assert (parse_player(f"{file}:6@0.5s").depth, parse_player(f"{file}:6@0.5s").time_s) == (6, 0.5)
    assert isinstance(build_player(f"{file}:2"), CustomEvaluatorPlayer)
    with pytest.raises(PlayerError, match="plays reversi, not chess"):
        build_player(file).new_match(MatchInfo(match=1, game="chess"))
    (tmp_path / "bot.py").write_text("from tabiya import Bot\nclass First(Bot):\n    pass\n")
    with pytest.raises(PlayerError, match="takes no depth or time"):
        build_player(f"{tmp_path / 'bot.py'}:First:3")


def test_squares_are_sets_and_bits_are_counted_in_python_too() -> None:
    from tabiya.evaluators import lsb, msb, popcount, squares

    assert squares("a1 h8") == 1 | 1 << 63
    assert (popcount(squares("a1 h8")), lsb(squares("b1")), msb(-1)) == (2, 1, 63)
    with pytest.raises(ValueError, match="not 'i9'"):
        squares("a1 i9")
