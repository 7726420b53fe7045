"""The weights are fitted to games: files can be continued, coefficients are exact, a fit finds what is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.weights import chess_games
from scripts.weights.chess_games import (
    Ending,
    Game,
    Recipe,
    Task,
    continue_file,
    play_game,
    read_games,
    written,
)
from scripts.weights.chess_weights.__main__ import fields, flat, main, sample_of
from scripts.weights.chess_weights.fit import Sample, best_scale, chances, fit, loss, solve, values
from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.chess.weight_values import NUMBERS
from tabiya.bots.evaluators.chess.weights import DANGER, read
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.registry import load_game

SEED = 12
RECIPE = Recipe(nodes=60, most=16, first_ply=6, decided=800)
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def sample(count: int, truth: list[float], scale: float) -> Sample:
    """Positions with random features, whose games end as often as `truth` says."""
    draw = np.random.default_rng(SEED)
    features = draw.integers(-3, 4, (count, len(truth))).astype(np.float32)
    offset = draw.integers(-200, 200, count).astype(np.float64)
    known = Sample(features, offset, offset)
    expected = chances(values(known, np.array(truth)), scale)
    return known._replace(points=(draw.random(count) < expected).astype(np.float64))


def test_a_fit_finds_the_weights_that_made_the_results() -> None:
    truth, start = [40.0, -25.0, 10.0], np.zeros(3)
    games = sample(20_000, truth, 0.005)
    found = fit(games, start, np.full(3, 100.0), 0.005)
    assert np.allclose(found, truth, atol=4)
    assert loss(values(games, found), games.points, 0.005) < loss(values(games, start), games.points, 0.005)


def test_a_weight_without_spread_stays_and_a_small_spread_holds_it_back() -> None:
    games = sample(2_000, [40.0, -25.0], 0.005)
    found = fit(games, np.array([7.0, 0.0]), np.array([0.0, 1.0]), 0.005)
    assert found[0] == 7
    assert -25 < found[1] < 0


def test_the_scale_is_that_of_the_results() -> None:
    games = sample(20_000, [40.0], 0.008)
    assert best_scale(values(games, np.array([40.0])), games.points) == pytest.approx(0.008, rel=0.1)


def test_a_system_of_equations_is_solved() -> None:
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]])
    assert np.allclose(solve(lambda x: np.asarray(matrix @ x), np.array([1.0, 2.0])), [1 / 11, 7 / 11], atol=1e-3)


def test_all_numbers_in_a_row_are_the_fields_again() -> None:
    numbers = read(NUMBERS)
    again = fields(flat(numbers))
    assert set(again) == set(numbers)
    assert all(np.array_equal(again[name], numbers[name]) for name in numbers)


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
    ("lines", "said"),
    [("", r"games.txt has no positions"), (f"0|1|{KIWIPETE}=5|{KIWIPETE}\n", r"games.txt: game 0 .* without a value")],
)
def test_what_cannot_be_fitted_is_one_sentence(lines: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(lines)
    with pytest.raises(SystemExit, match=said):
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


@pytest.mark.slow
def test_coefficients_times_weights_are_the_evaluation() -> None:
    game, numbers = load_game("chess"), read(NUMBERS)
    states = np.zeros(2, game.state).view(np.recarray)
    states[0], states[1] = game.parse(KIWIPETE).state, game.start().state
    for name in DANGER:
        numbers[name][...] = -1000  # no king in danger: then the evaluation is linear
    before, known = sample_of(states, np.zeros(2), numbers)
    assert np.all(np.abs(before.offset) <= 1)  # the rounding of the blend
    numbers["bishop_pair"][:] += 30
    numbers["squares"][:, 0, 35] -= 24
    after, changed = sample_of(states, np.zeros(2), numbers)
    assert np.all(np.abs(after.offset) <= 1)
    assert known[0] != changed[0]
