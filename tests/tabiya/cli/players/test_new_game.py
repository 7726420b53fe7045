"""`tabiya new-game` writes a package that plays at once, and refuses what would hide or overwrite something."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.check_game.checks import CHECKS
from tabiya.cli.players.new_game import new_game
from tabiya.errors import UserError
from tests.packages import install, run_with

WRITTEN = ("pyproject.toml", "tabiya_own/__init__.py", "tabiya_own/rules.py", "tests/test_own.py")


@pytest.mark.slow
@pytest.mark.parametrize("plain", [False, True])
def test_a_new_game_passes_its_own_tests_and_is_played(tmp_path: Path, plain: bool) -> None:
    new_game("own", tmp_path / "own", plain)
    assert all((tmp_path / "own" / name).is_file() for name in WRITTEN)
    assert (tmp_path / "own" / "tabiya_own" / "evaluator.py").is_file() != plain
    install(tmp_path / "site", tmp_path / "own")
    said = run_with(tmp_path / "site", "pytest", "-q", "-p", "no:cacheprovider", "-n0", str(tmp_path / "own" / "tests"))
    assert f"{len(CHECKS) + 1} passed" in said
    assert "square" in run_with(
        tmp_path / "site", "tabiya", *["match", "pvs:3", "random", "--game", "own", "--games", "4", "--seed", "1"]
    )


@pytest.mark.parametrize("name", ["Chess", "chess", "class", "own game", "9men", "", "é"])
def test_a_name_that_no_game_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError):
        new_game(name, tmp_path / "own")
    assert not (tmp_path / "own").exists()


def test_what_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    with pytest.raises(UserError, match="exists already"):
        new_game("own", tmp_path / "own")
    assert not list((tmp_path / "own").iterdir())
