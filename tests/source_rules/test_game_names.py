"""A game is one folder and one line of the registry: nothing else in the code spells its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tabiya.games.registry import names
from tests.source_rules.sources import PACKAGES, ROOT, python_files, strings

GAME_FOLDERS = tuple(sorted(file.parent.name for file in (ROOT / "games").glob("*/rules.py")))
NAMES = frozenset({*names(), *GAME_FOLDERS})
SAMPLE = frozenset({"reversi", "chess", "mnk", "nim"})

# Where a game may be named: its own folder and the line that registers it; what plays it well.
AT_HOME = (
    *(f"games/{folder}/" for folder in GAME_FOLDERS),
    *(
        "games/registry.py",
        "bots/evaluators/",
        "bots/solvers/",
        "bots/players/catalogue.py",
        "bots/players/perfect_nim.py",
    ),
    "bots/textbook/evaluations/",
)
PAGE_ENDINGS = {".html", ".jinja", ".j2", ".js", ".css", ".svg", ".sql"}


def is_at_home(path: Path) -> bool:
    return path.as_posix().startswith(AT_HOME)


def spelled_in_code(source: str, path: Path, games: frozenset[str] = NAMES) -> list[str]:
    """String literals that equal a game's name, one sentence each."""
    return [
        f"{path}:{line} spells {text!r}: ask the registry, or move it to bots/evaluators/"
        for text, line in strings(source)
        if text in games
    ]


def spelled_in_page(source: str, path: Path, games: frozenset[str] = NAMES) -> list[str]:
    """Names of games between quotes in a template, a script or a style sheet, one sentence each."""
    quoted = re.compile(rf"""(["'`])({"|".join(sorted(games))})\1""")
    return [f"{path} spells {found[0]}: let the server tell the page" for found in quoted.finditer(source)]


def test_the_names_are_known() -> None:
    assert len(NAMES) >= len(names()) >= 5
    assert GAME_FOLDERS


@pytest.mark.parametrize("package", PACKAGES)
def test_no_code_spells_the_name_of_a_game(package: str) -> None:
    files = [file for file in python_files(package) if not is_at_home(file)]
    assert [line for file in files for line in spelled_in_code((ROOT / file).read_text("utf-8"), file)] == []


def test_no_page_spells_the_name_of_a_game() -> None:
    files = [
        file.relative_to(ROOT)
        for package in PACKAGES
        for file in (ROOT / package).rglob("*")
        if file.suffix in PAGE_ENDINGS and not is_at_home(file.relative_to(ROOT))
    ]
    assert [line for file in files for line in spelled_in_page((ROOT / file).read_text("utf-8"), file)] == []


@pytest.mark.parametrize("source", ["GAME = 'reversi'", "if game in ('chess', other):\n    pass", "x = {'mnk': 1}"])
def test_a_spelled_name_is_found(source: str) -> None:
    assert len(spelled_in_code(source, Path("server/lobby/lobby.py"), SAMPLE)) == 1


@pytest.mark.parametrize("source", ["{% if game == 'chess' %}", '<a href="/" class="nim">', "case `reversi`:"])
def test_a_name_spelled_in_a_page_is_found(source: str) -> None:
    assert len(spelled_in_page(source, Path("server/web/match.html"), SAMPLE)) == 1


def test_a_sentence_about_a_game_is_no_name() -> None:
    assert spelled_in_code('"""Chess players say tabiya; reversi too."""', Path("server/app.py"), SAMPLE) == []
    assert spelled_in_page("<p>chess and 'reversi players'</p>", Path("server/web/help.html"), SAMPLE) == []


def test_a_game_is_at_home_only_in_its_own_places() -> None:
    assert is_at_home(Path("games/registry.py"))
    assert is_at_home(Path("bots/evaluators/anything.py"))
    assert not is_at_home(Path("games/position.py"))
    assert not is_at_home(Path("bots/players/spec.py"))
