"""Games of the engine against itself: files can be continued, games end when they are decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.weights import chess_games
from scripts.weights.chess_games import Ending, Game, Recipe, Task, continue_file, play_game, read_games, written
from scripts.weights.chess_net.__main__ import main
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.registry import load_game

SEED = 12
RECIPE = Recipe(nodes=60, most=16, first_ply=6, decided=800)
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def test_a_file_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, asked = tmp_path / "games.txt", list[int]()

    def fake(task: Task) -> Game:
        asked.append(task.number)
        return Game(task.number, 0.5, (f"position {task.number}",), (task.recipe.nodes,))

    monkeypatch.setattr(chess_games, "_work", fake)
    file.write_text(written(Game(1, 1, ("a", "b"), (5, -7))) + "\n2|0.5|half a li")
    tasks = [Task(number, SEED, RECIPE) for number in range(3)]
    assert len(list(continue_file(file, tasks, 1))) == 2
    assert asked == [0, 2]
    games = {game.number: game for game in read_games(file)}
    assert games[1] == Game(1, 1.0, ("a", "b"), (5, -7))
    assert games[2] == Game(2, 0.5, ("position 2",), (60,))


@pytest.mark.parametrize(
    ("lines", "text"),
    [("", r"no positions in .*games.txt"), (f"0|1|{KIWIPETE}=5|{KIWIPETE}\n", r"games.txt: game 0 .* without a value")],
)
def test_what_cannot_be_fitted_is_one_sentence(lines: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(lines)
    with pytest.raises(SystemExit, match=text):
        main(["fit", str(tmp_path / "games.txt")])


def test_a_game_ends_when_it_is_decided_level_or_too_long() -> None:
    won, short, level, long = (Ending(800) for _ in range(4))
    assert [won.points(900, ply) for ply in range(4)] == [None, None, None, 1.0]
    assert [short.points(value, 9) for value in (-900, -900, 0, -900, -900, -900)] == [None] * 6
    assert [level.points(3, ply) for ply in range(80, 92)] == [None] * 11 + [0.5]
    assert [level.points(300, 100), long.points(300, 240)] == [None, 0.5]


@pytest.mark.slow
def test_the_same_game_is_played_again_and_its_positions_are_quiet() -> None:
    engine = Engine(evaluator_for(load_game("chess")), table_mb=1)
    first, second = (play_game(engine, Task(3, SEED, RECIPE)) for _ in range(2))
    assert first == second
    assert 0 < len(first.positions) == len(first.values) <= RECIPE.most
