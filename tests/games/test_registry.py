import subprocess
import sys

import pytest

from tabiya.games.contract import Game
from tabiya.games.errors import UnknownGame
from tabiya.games.registry import GAMES, load_game, names, title
from tests.house.sources import ROOT

GAMES_FOLDER = ROOT / "games"
NOT_GAMES = {"compiled", "__pycache__"}


def test_every_folder_of_rules_has_a_line_and_every_line_a_folder() -> None:
    folders = {folder.name for folder in GAMES_FOLDER.iterdir() if folder.is_dir()} - NOT_GAMES
    assert {line.module for line in GAMES.values()} == {f"tabiya.games.{folder}" for folder in folders}


def test_the_games_come_in_the_order_of_their_lines() -> None:
    assert names() == ("nim", "tictactoe", "connect5", "reversi", "chess")


@pytest.mark.parametrize("name", names())
def test_a_name_loads_its_game_always_the_same_object(name: str) -> None:
    game = load_game(name)
    assert isinstance(game, Game)
    assert game is load_game(name)
    assert (game.name, game.title) == (name, title(name))


@pytest.mark.parametrize("name", ["", "go", "Nim", "nim ", "tabiya.games.nim", "n\u00efm", "x" * 10**5])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    for ask in (load_game, title):
        with pytest.raises(UnknownGame, match=r"there is no game .* \(there are: nim, tictactoe, connect5, reversi, "):
            ask(name)


@pytest.mark.slow
def test_listing_games_loads_no_compiler_and_one_game_does_not_load_the_others() -> None:
    program = """if True:
        import sys
        from tabiya.games import registry
        registry.names(), registry.title("reversi")
        assert not {"numpy", "numba"} & set(sys.modules)
        registry.load_game("nim")
        assert not {"tabiya.games.chess", "tabiya.games.reversi", "tabiya.games.mnk"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
