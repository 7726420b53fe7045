"""The network of chess: it adds and weighs what its module says, and knows what is worth what."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from tabiya.bots.evaluators.base import EVALUATION_LIMIT
from tabiya.bots.evaluators.chess import network
from tabiya.bots.evaluators.chess.network import (
    GROUPS,
    MORE,
    START,
    TABLE,
    WEIGHING,
    evaluate_by_net,
    net_value,
)
from tabiya.games.compiled.simd import MOST_WEIGHT
from tabiya.games.registry import load_game

pytestmark = pytest.mark.slow
SEEDS = range(12)
MOST_MEN = 32
MIDDLEGAME = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1"


@njit  # type: ignore[untyped-decorator]
def both_values(state: Any) -> Any:
    return net_value(state), evaluate_by_net(state)


def net_says(text: str) -> int:
    return int(both_values(load_game("chess").parse(text).state)[0])


def evaluation(text: str) -> int:
    return int(both_values(load_game("chess").parse(text).state)[1])


def value(placement: str) -> int:
    """For White, to move."""
    return evaluation(f"{placement} w - - 0 1")


def men_of(text: str) -> list[tuple[str, int, int]]:
    """Letter, file and rank of every man."""
    found = []
    for rank, line in zip(range(7, -1, -1), text.split(maxsplit=1)[0].split("/"), strict=True):
        squares = "".join(" " * int(letter) if letter.isdigit() else letter for letter in line)
        found += [(letter, file, rank) for file, letter in enumerate(squares) if letter != " "]
    return found


@functools.cache
def positions(seed: int) -> tuple[str, ...]:
    """Some of a random game in which men are taken more often than by chance."""
    draw, found, position = random.Random(seed), list[str](), load_game("chess").start()
    while position.outcome() is None and position.ply < 250:
        found.append(position.text())
        replies = [position.play(move) for move in draw.choices(position.legal_moves(), k=2)]
        position = min(replies, key=lambda reply: len(men_of(reply.text())))
    return tuple(draw.sample(found, min(len(found), 12)))


def plain_sight(men: list[tuple[str, int, int]], white: bool) -> Any:
    """What a viewer sees, each number squared."""
    king_file = next(file for letter, file, _ in men if letter == ("K" if white else "k"))
    lanes = TABLE.numbers[768].astype(np.int64)
    for letter, file, rank in men:
        kind = "PNBRQK".index(letter.upper()) + (0 if letter.isupper() == white else 6)
        lanes += TABLE.numbers[64 * kind + 8 * (rank if white else 7 - rank) + (7 - file if king_file > 3 else file)]
    return np.clip(lanes, 0, 255) ** 2


def plain_net_value(text: str) -> int:
    """What the network must say, from the text alone."""
    men, white = men_of(text), text.split()[1] == "w"
    group = (len(men) - 1) * 8 // 32
    own, other, more = TABLE.numbers[[769 + 2 * group, 770 + 2 * group, 785]].astype(np.int64)
    total = int(plain_sight(men, white) @ own + plain_sight(men, not white) @ other)
    return total * 400 // (255 * 255 * 128) + int(more[group])


def without_rights(text: str) -> str:
    placement, side, _, _, *counters = text.split()
    return " ".join([placement, side, "-", "-", *counters])


def left_for_right(text: str) -> str:
    """With the files in the other order."""
    placement, *others = text.split()
    return " ".join(["/".join(rank[::-1] for rank in placement.split("/")), *others])


@pytest.fixture
def numbers() -> Iterator[Any]:
    """Those of the network, to be changed: afterwards they are as before."""
    kept = TABLE.numbers.copy()
    yield TABLE.numbers
    TABLE.numbers[:] = kept


def draw_numbers(seed: int) -> Any:
    """Numbers that differ everywhere, the sums of many of them beyond the limits."""
    drawn = np.random.default_rng(seed).integers(-120, 121, TABLE.numbers.shape)
    drawn[WEIGHING:MORE] = np.clip(drawn[WEIGHING:MORE], -MOST_WEIGHT, MOST_WEIGHT)
    return drawn.astype(np.int16)


def test_random_games_have_positions_of_all_numbers_of_men() -> None:
    men = {len(men_of(text)) for seed in SEEDS for text in positions(seed)}
    assert {(number - 1) * GROUPS // MOST_MEN for number in men} == set(range(GROUPS))
    assert sum(len(positions(seed)) for seed in SEEDS) > 100


@pytest.mark.parametrize("seed", SEEDS)
def test_the_network_says_what_its_numbers_add_up_to(seed: int) -> None:
    for text in positions(seed):
        assert net_says(text) == plain_net_value(text), f"seed {seed}: {text}"


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_that_differ_everywhere_add_up_as_well(seed: int, numbers: Any) -> None:
    numbers[:] = draw_numbers(seed)
    for text in positions(seed):
        assert net_says(text) == plain_net_value(text), f"seed {seed}: {text}"


@pytest.mark.parametrize("seed", SEEDS)
def test_left_and_right_are_worth_the_same(seed: int) -> None:
    for text in map(without_rights, positions(seed)):
        assert evaluation(left_for_right(text)) == evaluation(text), f"seed {seed}: {text}"


@pytest.mark.parametrize("weight", [MOST_WEIGHT, -MOST_WEIGHT])
def test_values_are_within_the_limit_whatever_the_network_says(weight: int, numbers: Any) -> None:
    numbers[:] = 0
    numbers[START], numbers[WEIGHING:MORE] = 255, weight
    text = f"{MIDDLEGAME} w - - 0 1"
    assert abs(net_says(text)) > EVALUATION_LIMIT
    assert evaluation(text) == (EVALUATION_LIMIT if weight > 0 else -EVALUATION_LIMIT)


def test_equal_men_are_about_even() -> None:
    assert abs(evaluation(load_game("chess").start().text())) <= 80
    assert abs(value(MIDDLEGAME)) <= 150


@pytest.mark.parametrize(
    ("rank", "one_less", "least"),
    [
        pytest.param("r1bq1rk1", "r1b2rk1", 500, id="queen"),
        pytest.param("r1bq1rk1", "r1bq2k1", 250, id="rook"),
        pytest.param("r1bq1rk1", "r2q1rk1", 120, id="bishop"),
        pytest.param("2n1pn2", "4pn2", 120, id="knight"),
    ],
)
def test_a_piece_more_is_clearly_worth_it(rank: str, one_less: str, least: int) -> None:
    ahead = MIDDLEGAME.replace(rank, one_less)
    assert value(ahead) > least
    assert evaluation(f"{ahead} b - - 0 1") < -least


def test_numbers_that_were_saved_are_read_again_and_used(tmp_path: Path, numbers: Any) -> None:
    drawn, text = draw_numbers(99), f"{MIDDLEGAME} b - - 0 1"
    before = net_says(text)
    network.save(tmp_path / "net.npz", drawn)
    assert net_says(text) == before
    network.load(tmp_path / "net.npz")
    assert (numbers == drawn).all()
    assert net_says(text) == plain_net_value(text) != before
    network.load()
    assert net_says(text) == before


def test_the_file_is_small() -> None:
    assert network.FILE.stat().st_size < 300_000


def test_nothing_that_is_computed_with_the_numbers_overflows() -> None:
    rows = TABLE.numbers.astype(np.int64)
    assert np.abs(rows[WEIGHING:MORE]).max() <= MOST_WEIGHT
    largest = np.sort(np.abs(rows[:START]), axis=0)[-MOST_MEN:].sum(axis=0)
    assert (np.abs(rows[START]) + largest).max() <= np.iinfo(np.int16).max
