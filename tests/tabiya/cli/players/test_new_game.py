"""`tabiya new-game` writes a package that plays at once, and refuses what would hide or overwrite something."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.check_game.checks import CHECKS
from tabiya.cli.players.new_game import new_game
from tabiya.errors import UserError
from tests.packages import install, results_of, run_with

WRITTEN = ("pyproject.toml", "tabiya_own/__init__.py", "tabiya_own/rules.py", "tests/test_own.py")


@pytest.mark.slow
@pytest.mark.timeout(300)  # it compiles the engine for a new game
def test_new_games_pass_their_own_tests_and_are_played(tmp_path: Path) -> None:
    starts = {"own": WRITTEN, "plain": tuple(name.replace("own", "plain") for name in WRITTEN)}
    for name, written in starts.items():
        new_game(name, tmp_path / name, plain=name == "plain")
        assert all((tmp_path / name / file).is_file() for file in written)
    assert (tmp_path / "own" / "tabiya_own" / "evaluator.py").is_file()
    assert not (tmp_path / "plain" / "tabiya_plain" / "evaluator.py").exists()
    install(tmp_path / "site", *(tmp_path / name for name in starts))
    tests = [str(tmp_path / name / "tests") for name in starts]
    result = run_with(tmp_path / "site", "pytest", "-q", "-p", "no:cacheprovider", "-n0", *tests)
    assert f"{2 * (len(CHECKS) + 1)} passed" in result
    matches = [f"match pvs:3 random --game {name} --games 4 --seed 1" for name in starts]
    assert all("square" in text for text in results_of(tmp_path / "site", *matches).values())


@pytest.mark.parametrize("name", ["Chess", "chess", "class", "own game", "9men", "", "é"])
def test_a_name_that_no_game_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"is no word of Python, such as connect4, not '|there is a game chess already"):
        new_game(name, tmp_path / "own")
    assert not (tmp_path / "own").exists()


def test_what_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    with pytest.raises(UserError, match="exists already"):
        new_game("own", tmp_path / "own")
    assert not list((tmp_path / "own").iterdir())


@pytest.mark.slow
def test_rules_that_cannot_be_loaded_are_told_with_their_line(tmp_path: Path) -> None:
    new_game("own", tmp_path / "own", plain=True)
    rules = tmp_path / "own" / "tabiya_own" / "rules.py"
    rules.write_text(rules.read_text().replace("SIZE, LETTERS = 5", "SIZE, LETTERS == 5"))
    install(tmp_path / "site", tmp_path / "own")
    for words in (("check-game", "own"), ("serve", "--port", "0", "--pages-port", "0", "--database", "memory:")):
        result = run_with(tmp_path / "site", "tabiya", *words, status=1)
        assert "tabiya: loading the game own failed:\n" in result
        assert result.endswith("NameError: name 'SIZE' is not defined\n")
        assert "rules.py, line 15, in <module>\n    SIZE, LETTERS == 5" in result
        assert "Traceback" not in result
