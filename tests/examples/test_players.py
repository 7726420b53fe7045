"""A player of a package that nothing of ours knows: named, played, and told apart from what is none."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tabiya.bots.client.bot import Bot
from tabiya.bots.players import catalogue
from tabiya.bots.players.build import build_player, player_games
from tabiya.bots.players.from_package import bot_of_package
from tabiya.bots.players.spec import PlayerError, PlayerKind, PlayerSpec, parse_player
from tests.live import ROOT
from tests.packages import install, run_with

PACKAGE = ROOT / "examples" / "players" / "alphabetical"


class Picky(Bot):
    games = ("nim",)

    def __init__(self, wants: str) -> None:
        if wants != "much":
            raise ValueError("too little")


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points of packages: the example's, and some that have faults."""
    monkeypatch.syspath_prepend(PACKAGE)
    values = {
        "alphabetical": "tabiya_alphabetical:Alphabetical",
        "picky": f"{__name__}:Picky",
        "gone": "tabiya_nowhere:Bot",
        "text": "builtins:str",
    }
    points = {name: EntryPoint(name, value, catalogue.PLAYERS_ENTRY_POINTS) for name, value in values.items()}
    for module in ("catalogue", "spec", "from_package"):
        monkeypatch.setattr(f"tabiya.bots.players.{module}.package_players", lambda: points)


@pytest.mark.parametrize("text", ["alphabetical", "alphabetical:last", "picky:a:b"])
def test_a_name_and_what_stands_behind_its_colon_are_a_player(text: str) -> None:
    assert parse_player(text) == PlayerSpec(PlayerKind.PACKAGE, text, name=text.partition(":")[0])


def test_it_plays_the_games_that_its_bot_names_else_all() -> None:
    assert player_games("picky:much") == ("nim",)
    assert "chess" in player_games("alphabetical")


def test_it_is_called_with_what_stands_behind_the_colon() -> None:
    choices = [bot_of_package(parse_player(text)).choice for text in ("alphabetical", "alphabetical:last")]  # type: ignore[attr-defined]
    assert choices == [min, max]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "alphabetical:middle",
            "'alphabetical:middle' of a package cannot be made: ValueError: it takes first or last",
        ),
        ("picky:", "ValueError: too little"),
        ("picky", "cannot be made: TypeError"),
        ("gone", "ModuleNotFoundError: No module named 'tabiya_nowhere'"),
        ("text", "is not a tabiya.Bot: builtins:str makes str"),
        ("alphabetic", "did you mean alphabetical"),
        ("quantum", "of packages: alphabetical, picky, gone, text; your own: file.py:Class"),
    ],
)
def test_what_is_wrong_with_one_is_said_in_a_sentence(text: str, line: str) -> None:
    with pytest.raises(PlayerError) as raised:
        build_player(text)
    assert line in str(raised.value)


@pytest.mark.slow
def test_an_installed_one_plays_a_match(tmp_path: Path) -> None:
    install(tmp_path, PACKAGE)
    players = ["alphabetical", "alphabetical:last"]
    result = run_with(tmp_path, "tabiya", "match", *players, "--game", "tictactoe", "--games", "2", "--seed", "1")
    assert "alphabetical:last" in result
