import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from tabiya.games import registry
from tabiya.games.contract import Game
from tabiya.games.errors import GameError, UnknownGame
from tabiya.games.registry import OURS, load_game, names, registered, title
from tests.source_rules.sources import ROOT

GAMES_FOLDER = ROOT / "games"
NOT_GAMES = {"compiled", "__pycache__"}


def test_every_folder_of_rules_has_a_line_and_every_line_a_folder() -> None:
    folders = {folder.name for folder in GAMES_FOLDER.iterdir() if folder.is_dir()} - NOT_GAMES
    assert {line.module for line in OURS.values()} == {f"tabiya.games.{folder}" for folder in folders}


def test_the_games_come_in_the_order_of_their_lines() -> None:
    assert names() == ("nim", "tictactoe", "connect5", "reversi", "chess", "chess960")


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


class Package:
    """An entry point of a package that need not be there. loads: what it leads to, or the error."""

    dist = None

    def __init__(self, name: str, loads: object) -> None:
        self.name, self.value, self._loads = name, f"own_games:{name}", loads

    def load(self) -> object:
        if isinstance(self._loads, Exception):
            raise self._loads
        return self._loads


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Calls it with packages: they are installed for the time of a test."""

    def install(*found: Package) -> None:
        monkeypatch.setattr(registry, "entry_points", lambda group: found)
        registry.all_games.cache_clear()

    yield install
    monkeypatch.undo()
    registry.all_games.cache_clear()


def test_games_of_packages_follow_the_built_in_ones_by_name(packages: Callable[..., None]) -> None:
    line = registered("Three Heaps", "tabiya.games.nim", "Nim")
    packages(Package("three", line), Package("again", line))
    assert names() == (*OURS, "again", "three")
    assert (title("three"), load_game("three").title) == ("Three Heaps", "Three Heaps")


@pytest.mark.parametrize(
    ("package", "why"),
    [
        (Package("chess", registered("Chess", "own", "Own")), "there is a game of that name"),
        (Package("Own Game", registered("Own", "own", "Own")), "a name has small letters"),
        (Package("own", "no line"), "is not an entry of the registry"),
        (Package("own", ImportError("no module named stones")), "no module named stones"),
    ],
)
def test_a_package_that_is_no_game_is_left_out_with_a_warning(
    packages: Callable[..., None], caplog: pytest.LogCaptureFixture, package: Package, why: str
) -> None:
    packages(package)
    assert names() == tuple(OURS)
    assert why in caplog.text


def test_rules_that_cannot_be_loaded_are_one_sentence(packages: Callable[..., None]) -> None:
    packages(Package("own", registered("Own", "tabiya.games.nim", "Heaps")))
    with pytest.raises(GameError, match=r"the game own cannot be loaded: AttributeError: "):
        load_game("own")
