"""OpenSpiel's games, hosted: thirty and more, and each plays as OpenSpiel has it."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from tabiya.check_game.checks import CHECKS
from tabiya.games.errors import PositionError
from tabiya.games.python_game import PythonGame
from tests.live import ROOT
from tests.packages import install, run_with

pytestmark = pytest.mark.slow

PACKAGE = ROOT / "examples" / "openspiel"


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(PACKAGE)
    return importlib.import_module("tabiya_openspiel")


def game_of(name: str) -> PythonGame:
    rules = importlib.import_module("tabiya_openspiel.rules")
    game: PythonGame = rules.SpielGame(f"spiel_{name}", name)
    return game


def test_every_game_that_fits_is_there_with_its_line(package: Any) -> None:
    kind = pyspiel.GameType
    fitting = [
        each.short_name
        for each in pyspiel.registered_games()
        if each.dynamics == kind.Dynamics.SEQUENTIAL
        and each.chance_mode == kind.ChanceMode.DETERMINISTIC
        and each.information == kind.Information.PERFECT_INFORMATION
        and each.utility == kind.Utility.ZERO_SUM
        and each.min_num_players <= 2 <= each.max_num_players
        and each.default_loadable
        and not each.short_name.startswith(("python_", "tabiya_"))  # the same again, and ours
    ]
    assert sorted(package.GAMES) == sorted(fitting)
    assert len(package.GAMES) >= 30
    lines = (PACKAGE / "pyproject.toml").read_text("utf-8")
    for name in package.GAMES:
        assert f'spiel_{name} = "tabiya_openspiel:spiel_{name}"' in lines
        assert getattr(package, f"spiel_{name}").rules == "SpielGame"


def test_random_games_go_as_openspiel_says(package: Any) -> None:
    draw = random.Random(3)
    for name in package.GAMES:
        game = game_of(name)
        position, state = game.start(), pyspiel.load_game(name).new_initial_state()
        for _ in range(60):
            if state.is_terminal():
                break
            assert position.outcome() is None
            assert position.to_move == state.current_player()
            legal, actions = position.legal_moves(), state.legal_actions()
            assert len(legal) == len(set(legal)) == len(actions)
            number = draw.randrange(len(actions))
            position = position.play(legal[number])
            state.apply_action(actions[number])
        outcome = position.outcome()
        assert (outcome is not None) == state.is_terminal(), name
        if outcome is not None:
            assert outcome.winner == {1: 0, -1: 1, 0: None}[int(state.returns()[0])], name
        assert game.parse(position.text()).text() == position.text()


@pytest.mark.parametrize("name", ["dots_and_boxes", "connect_four"])
def test_a_game_keeps_to_the_contract(package: Any, name: str) -> None:
    for title, check in CHECKS.items():
        assert title == "interpreted" or not list(check(game_of(name), 1))  # that starts processes without the package


def test_a_game_that_is_longer_than_its_text_may_be_is_drawn(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of("chinese_checkers")
    monkeypatch.setattr(game, "max_plies", 4)
    position = game.start()
    for _ in range(4):
        position = position.play(position.legal_moves()[0])
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.ending) == (None, "too_long")


@pytest.mark.parametrize("text", ["", "0 ", "00", "z", "Ä", "0123456789", "031425"])
def test_texts_that_are_no_games_are_refused(package: Any, text: str) -> None:
    with pytest.raises(PositionError):
        game_of("tic_tac_toe").parse(text)


def test_bots_play_them_on_a_server(tmp_path: Path) -> None:
    install(tmp_path / "site", PACKAGE)
    database = str(tmp_path / "games.db")
    words = ("match", "alphabeta:2", "random", "--game", "spiel_clobber", "--games", "2", "--database", database)
    run_with(tmp_path / "site", "tabiya", *words)
    run_with(tmp_path / "site", "tabiya", "verify", "--database", database)
    assert '[Game "spiel_clobber"]' in run_with(tmp_path / "site", "tabiya", "export", "--database", database)
