"""The network is fitted to games: positions are read as the network sees them, a fit finds what is there."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from scripts.weights.chess_games import (
    Game,
    Task,
    engine_of,
    first_position,
    play_game,
    read_games,
    written,
)
from scripts.weights.chess_net.__main__ import RECIPE, SCALE, main
from scripts.weights.chess_net.learn import Lesson, Net, chances, error_of, learn, new_net
from scripts.weights.chess_net.sample import Sample, of_games, of_walks
from tabiya.bots.evaluators.chess import network
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.games.position import Position
from tabiya.games.registry import load_game

pytestmark = pytest.mark.slow
SEED = 21
QUEEN, OTHER_QUEEN = 4 * 64, (6 + 4) * 64


@njit  # type: ignore[untyped-decorator]
def value_of(state: Any) -> Any:
    return network.net_value(state)


def positions(count: int) -> list[Position]:
    """From games of moves by lot."""
    draw, game, found = random.Random(SEED), load_game("chess"), list[Position]()
    while len(found) < count:
        position = game.start()
        for _ in range(draw.randrange(4, 90)):
            if position.outcome() is None:
                position = position.play(draw.choice(position.legal_moves()))
        if position.outcome() is None:
            found.append(position)
    return found


def file_of(found: list[Position], path: Path) -> Path:
    """A game of each position, won by White, with its number as its value."""
    games = (Game(i, 1.0, (position.text(),), (i,)) for i, position in enumerate(found))
    path.write_text("".join(written(game) + "\n" for game in games))
    return path


def test_what_is_learned_from_is_what_the_network_sees(tmp_path: Path) -> None:
    found = positions(60)
    sample, held, _ = of_games([file_of(found, tmp_path / "games.txt")])
    net, numbers = Net(*(part.astype(np.float64) for part in new_net(SEED))), network.TABLE.numbers.copy()
    network.TABLE.numbers[:] = net.rows()
    try:
        reported = [int(value_of(position.state)) for position in found]
    finally:
        network.TABLE.numbers[:] = numbers
    assert held.sum() == 2
    for i, position in enumerate(found):
        size = sample.men[i]
        seen = [
            np.clip(net.start + net.inputs[inputs[i, :size]].sum(0), 0, 1) ** 2
            for inputs in (sample.ours, sample.theirs)
        ]
        group = sample.group[i]
        value = 400 * (net.outputs[group] @ np.concatenate(seen) + net.more[group])
        assert reported[i] == pytest.approx(value, abs=25), (SEED, position.text())
        assert sample.values[i] == (i if position.to_move == 0 else -i)
        assert sample.points[i] == (1 if position.to_move == 0 else 0)


def test_near_positions_have_the_value_of_the_evaluation_of_the_books(tmp_path: Path) -> None:
    found = positions(25)
    _, _, text = of_games([file_of(found, tmp_path / "games.txt")])
    walks, again = (of_walks(text, len(found), 5, SEED) for _ in range(2))
    assert all(np.array_equal(one, other) for one, other in zip(walks, again, strict=True))
    assert 60 < len(walks.men) <= 125
    near = {position.text().split()[0] for position in found}
    evaluator, values = book_evaluator(load_game("chess")), dict[tuple[int, ...], int]()
    for position in found:  # all that are one move away
        for move in position.legal_moves():
            after = position.play(move)
            if after.outcome() is None:
                sample, _, _ = of_games([file_of([after], tmp_path / "one.txt")])
                values[tuple(sample.ours[0, : sample.men[0]])] = int(evaluation_of(evaluator, after.state))
    known = [(values.get(tuple(walks.ours[i, : walks.men[i]])), int(walks.values[i])) for i in range(len(walks.men))]
    same = [pair for pair in known if pair[0] is not None]
    assert near
    assert len(same) >= 10
    assert all(one == other for one, other in same), SEED


def test_a_fit_finds_that_a_queen_is_worth_something() -> None:
    draw, count = np.random.default_rng(SEED), 16_384
    ours = draw.integers(0, 64, (count, 32)).astype(np.uint16)  # pawns, anywhere, as many as men
    ours[:, 0] += QUEEN
    owned = draw.random(count) < 0.5
    ours[~owned, 0] += OTHER_QUEEN - QUEEN
    theirs = (ours.astype(np.int64) + 384) % 768
    values = np.where(owned, 900, -900)
    sample = Sample(ours, theirs.astype(np.uint16), np.full(count, 8), np.ones(count, np.int64), values, owned)
    net, aims = new_net(SEED), chances(values, SCALE)
    before = error_of(net, sample, aims, SCALE)
    *_, (_, last) = learn(net, lambda _: Lesson(sample, aims), SCALE, 60, 0.003, SEED)
    assert error_of(net, sample, aims, SCALE) < before / 20
    assert last < before / 10


def test_a_command_fits_and_writes_a_network_that_is_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, target = file_of(positions(80), tmp_path / "games.txt"), tmp_path / "net.npz"
    main(["fit", str(file), "--walked", "160", "--walk-rounds", "1", "--rounds", "2", "--to", str(target)])
    output = capsys.readouterr().out
    assert "walked, round 1" in output
    assert "games, round 2: 78 positions" in output
    numbers = network.TABLE.numbers.copy()
    try:
        network.load(target)
        assert not np.array_equal(network.TABLE.numbers, numbers)
    finally:
        network.TABLE.numbers[:] = numbers


def test_without_positions_it_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no positions in"):
        main(["fit", str(tmp_path / "none.txt")])


@pytest.mark.parametrize(
    "evaluator", ["tabiya.bots.players.nowhere:Evaluator", "tabiya.bots.evaluators.chess.evaluator:Nobody", "chess"]
)
def test_a_evaluator_that_is_not_there_is_one_sentence(evaluator: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"is no module|has no class"):
        main(["play", str(tmp_path / "games.txt"), "--games", "1", "--evaluator", evaluator])


def test_a_file_of_held_out_games_alone_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="only games that are held out"):
        main(["fit", str(file_of(positions(1), tmp_path / "games.txt"))])


def test_games_for_the_network_begin_wild_now_and_then_and_are_played_again(tmp_path: Path) -> None:
    recipe = RECIPE._replace(nodes=100)
    tasks = [Task(number, SEED, recipe) for number in range(12)]
    engine = engine_of("tabiya.bots.textbook.evaluations.chess:BookEvaluator")
    plies = [len(first_position(engine, task).moves) for task in tasks]
    assert {8, 10} <= set(plies) <= {8, 9, 10}  # moves by lot: 8 or 9; a line and more: 10
    first, second = (play_game(engine, tasks[0]) for _ in range(2))
    assert first == second
    assert len(first.positions) > 10
    (tmp_path / "games.txt").write_text(written(first) + "\n")
    assert read_games(tmp_path / "games.txt") == [first]
