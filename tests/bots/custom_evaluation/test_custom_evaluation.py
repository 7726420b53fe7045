"""Evaluations of one's own in the playing engine: compiled, or asked in Python with a sentence that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.bots.custom_evaluation.compile import CustomEvaluator
from tabiya.bots.custom_evaluation.compile_errors import explain
from tabiya.bots.custom_evaluation.player import CustomEvaluatorPlayer, compile_for
from tabiya.bots.evaluators.base import EVALUATION_LIMIT
from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.build import build_player, player_games
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.players.from_file import load_custom_evaluator
from tabiya.bots.players.spec import PlayerError, parse_player
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.brains import brain
from tabiya.evaluators import evaluator
from tabiya.games.position import Position
from tabiya.games.registry import load_game
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


def own(folder: Path, text: str, name: str = "Mine") -> CustomEvaluator:
    folder.mkdir(exist_ok=True)
    file = folder / "mine.py"
    file.write_text(text)
    found = load_custom_evaluator(str(file), name)
    assert found is not None
    return found


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


def test_a_value_that_the_file_reads_from_elsewhere_is_part_of_what_is_compiled(tmp_path: Path) -> None:
    text = body(
        "return WEIGHT", "from pathlib import Path\nWEIGHT = int((Path(__file__).parent / 'weight').read_text())"
    )
    (tmp_path / "weight").write_text("5")
    first = own(tmp_path, text).evaluator_of(load_game("reversi")).kernel_name()
    (tmp_path / "weight").write_text("6")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "weight").write_text("6")
    assert own(tmp_path / "copy", text).evaluator_of(load_game("reversi")).kernel_name() != first


@pytest.mark.parametrize(("line", "bound"), [("return 10**9", EVALUATION_LIMIT), ("return -1e12", -EVALUATION_LIMIT)])
def test_an_evaluation_out_of_all_bounds_is_brought_into_them(tmp_path: Path, line: str, bound: int) -> None:
    assert value(own(tmp_path, body(line)), load_game("reversi").start()) == bound


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("return TABLE['a']", "mine.py, line 6: TABLE is neither a number, an array nor a function of your own files"),
        ("return int('5')", "mine.py, line 6: int cannot be used with (5)"),
        (
            "return sum(x for x in (1, 2))",
            "mine.py, line 6: `yield` and `sum(x for ...)` cannot be compiled; write a loop",
        ),
        ("return len({1: 2}.get(1, 'x') * 'y')", "mine.py, line 6: "),
    ],
)
def test_what_cannot_be_compiled_says_line_and_cause(tmp_path: Path, line: str, why: str) -> None:
    found = own(tmp_path, body(line, "TABLE = {'a': 1}\n"))
    with pytest.raises(Exception) as error:  # noqa: PT011 (whatever the compiler raises)
        value(found, load_game("reversi").start())
    assert explain(error.value).startswith(why)


def test_what_cannot_be_compiled_is_asked_in_python_and_plays_the_same(tmp_path: Path) -> None:
    said, position = list[str](), load_game("reversi").start().play("d3")
    slow = CORNERS.replace(
        "return super()", "marks = {}\n        marks['x'] = '1'; assert str(3)\n        return super()"
    )
    slow = slow.replace("300 * lead", "int(str(300)) * lead")
    answers = []
    for folder, text in (("quick", CORNERS), ("slow", slow)):
        player = CustomEvaluatorPlayer(own(tmp_path / folder, text), depth=4, table_mb=1, report=said.append)
        player.new_match(MatchInfo(match=1, game="reversi"))
        answers.append(player.choose(request_at(position)))
    assert answers[0].pv == answers[1].pv
    assert (answers[0].score, answers[0].nodes) == (answers[1].score, answers[1].nodes)
    assert len(said) == 1
    assert said[0].startswith(
        "Mine.evaluate cannot be compiled and is called in Python, which is much slower: mine.py, line"
    )


def test_only_the_method_that_does_not_compile_is_asked_in_python(tmp_path: Path) -> None:
    """The other one stays quick, and the author is told of the right one."""
    said = list[str]()
    text = body("return popcount(state.mine)") + "    def priority(self, state, move):\n        return int(str(3))\n"
    found = own(tmp_path, text)
    compile_for(found, "reversi", said.append)
    assert found.in_python == {"priority"}
    assert [one[: one.index(" cannot")] for one in said] == ["Mine.priority"]
    assert "mine.py, line 7" in said[0]


@pytest.mark.parametrize("hook", ["swing", "theme"])
def test_a_method_that_compiles_is_not_blamed_for_another_that_does_not(tmp_path: Path, hook: str) -> None:
    """These cannot be asked in Python, so there is nothing that helps."""
    said = list[str]()
    text = body("return popcount(state.mine)") + f"    def {hook}(self, state):\n        return int(str(3))\n"
    found = own(tmp_path, text)
    with pytest.raises(PlayerError, match=r"^Mine cannot play: mine.py, line 7"):
        compile_for(found, "reversi", said.append)
    assert not said
    assert not found.in_python


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("return popcount(state.mein)", "mein"),
        ("state", "evaluate returns nothing"),
        ("return popcont(state.mine)", "popcont"),
    ],
)
def test_what_can_be_asked_neither_way_is_refused_in_words(tmp_path: Path, line: str, why: str) -> None:
    with pytest.raises(PlayerError, match=f"Mine cannot play: .*{why}"):
        compile_for(own(tmp_path, body(line)), "reversi", lambda sentence: None)


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


def test_the_module_name_of_before_still_gives_the_evaluator() -> None:
    assert brain is evaluator
