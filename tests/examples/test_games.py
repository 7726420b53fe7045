"""Games of packages that nothing of ours knows: installed as their users install them, checked, hosted and stored."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import random
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.events import silent
from tabiya.bots.client.run import run_async
from tabiya.bots.client.turn import Turn
from tabiya.games.contract import Game
from tabiya.games.picture import EMPTY
from tabiya.research.encoding import Encoding
from tests.examples.twins import breakthrough, connect4
from tests.games.twins.comparing import compare_playout
from tests.live import ROOT, served
from tests.packages import install, results_of, run_with

pytestmark = pytest.mark.slow

GAMES = ROOT / "examples" / "games"
LINES = 150  # of a small game, its evaluation and its line of the registry apart
# positions after 0, 1, 2 ... plies: oeis.org/A212693 (Edelkamp and Kissmann; John Tromp)
POSITIONS = (1, 7, 49, 238, 1_120, 4_263, 16_422)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the packages are installed."""
    folder = tmp_path_factory.mktemp("site")
    install(folder, *packages())
    return folder


def packages() -> list[Path]:
    return sorted(path.parent for path in GAMES.glob("*/pyproject.toml"))


@pytest.mark.parametrize("package", packages(), ids=lambda path: path.name)
def test_a_small_game_is_a_short_file(package: Path) -> None:
    (rules,) = package.glob("*/rules.py")
    assert len(rules.read_text("utf-8").splitlines()) <= LINES


@pytest.fixture
def connect_four(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.syspath_prepend(GAMES / "connect4")
    game: Game = importlib.import_module("tabiya_connect4.rules").ConnectFour("connect4", "Connect Four")
    return game


def test_a_board_of_cells_is_set_up_by_hand(connect_four: Game) -> None:
    text = connect_four.start().text()
    for place, piece in (("a1", "R"), ("b1", "Y"), ("b2", "R"), ("b2", EMPTY), ("g1", "R")):
        text = connect_four.placed(text, place, piece)
    text = connect_four.with_mover(text, 1)
    assert str(connect_four.parse(text)).splitlines()[5:] == [" 1 R Y . . . . R", "   a b c d e f g"]
    assert connect_four.parse(connect_four.with_mover(connect_four.emptied(text), 0)).text() == (
        connect_four.start().text()
    )


def test_an_environment_sees_cells_where_moves_name_columns(connect_four: Game) -> None:
    encoding, position = Encoding(connect_four.start()), connect_four.start().play("d").play("d")
    seen = encoding.observe(position)
    assert encoding.planes == ("red disc", "yellow disc", "Red is to move", "Yellow is to move")
    assert (seen.shape, seen.sum(axis=(0, 1)).tolist()) == ((6, 7, 4), [1, 1, 42, 0])
    assert [encoding.move(position, action) for action in range(7)] == list("abcdefg")


def test_connect_four_equals_its_naive_twin_and_the_published_counts(connect_four: Game) -> None:
    game = connect_four
    draw, compared = random.Random(4), 0
    while compared < 3_000:
        compared += compare_playout(game.start(), connect4, connect4.Position(), draw)
    reached, counts = {game.start().text()}, [1]
    while len(counts) < len(POSITIONS):
        before = [game.parse(text) for text in reached]
        reached = {position.play(move).text() for position in before for move in position.legal_moves()}
        counts.append(len(reached))
    assert tuple(counts) == POSITIONS


ENDINGS = {"connect4": "four_in_a_row", "hex": "edges_joined", "kalah": "more_seeds"}


def test_breakthrough_in_plain_python_equals_its_naive_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(GAMES / "breakthrough")
    game = importlib.import_module("tabiya_breakthrough.rules").Breakthrough("breakthrough", "Breakthrough")
    draw, compared = random.Random(8), 0
    while compared < 1_000:
        compared += compare_playout(game.start(), breakthrough, breakthrough.Position(), draw)


@pytest.mark.timeout(400)  # it compiles the engine for three games
def test_installed_games_keep_to_the_contract_and_the_engine_plays_them_with_their_evaluations(site: Path) -> None:
    """All in one process, which has loaded everything for the first."""
    checks = {name: f"check-game {name}" for name in (package.name for package in packages())}
    matches = {name: f"match pvs:4 random --game {name} --games 4 --seed 1" for name in ENDINGS}
    results = results_of(site, *checks.values(), *matches.values())
    for name, words in checks.items():
        assert "facts: passed" in results[words], name
        assert "FAILED" not in results[words], results[words]
    for name, words in matches.items():
        assert ENDINGS[name].replace("_", " ") in results[words]


class First(Bot):
    """Plays a game that is not installed where it is."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, turn: Turn) -> str:
        assert turn.legal_moves
        return turn.legal_moves[0]


@pytest.mark.timeout(300)  # for nine processes, on a machine with much else to do
async def test_installed_games_are_hosted_shown_stored_and_verified(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All on one server: most of this is the start of processes."""
    monkeypatch.setenv("PYTHONPATH", str(site))
    database, endings = tmp_path / "games.db", ENDINGS | {"breakthrough": "broke_through"}
    async with served(database, "--open") as server:
        bots = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tabiya", "bot", "random", "--server", server.url, "--game", name),
                *("--name", f"ada of {name}", "--matches", "2"),
                cwd=ROOT,
            )
            for name in endings
        ]
        options: dict[str, Any] = {"matches": 2, "listener": silent}
        await asyncio.gather(
            *(run_async(First(f"bob of {name}"), server.url, seek=name, **options) for name in endings)
        )
        assert {await bot.wait() for bot in bots} == {0}
        async with aiohttp.ClientSession(server.pages_url, raise_for_status=True) as pages:
            for match in range(1, 2 * len(endings) + 1):
                detail = await (await pages.get(f"/api/v1/matches/{match}")).json()
                page = await (await pages.get(f"/matches/{match}")).text()
                assert page.count("<tr data-ply=") == detail["plies"]
        await server.end()
    run_with(site, "tabiya", "verify", "--database", str(database))
    with contextlib.closing(sqlite3.connect(database)) as stored:
        ended = stored.execute("select game, ending from matches join results on results.match_id = matches.id")
        found = [*ended]
    assert Counter(game for game, _ in found) == dict.fromkeys(endings, 2)
    assert set(endings.items()) <= set(found)
