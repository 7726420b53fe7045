"""What holds for every registered game."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest

from tabiya.check_game.checks import CHECKS, Check, some_games
from tabiya.games.contract import Game
from tabiya.games.endings import Ending
from tabiya.games.errors import OptionError
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.games.playouts import random_positions

SEED = 1
every_game = pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_game_passes_every_check_of_its_contract(game: Game, check: Check) -> None:
    assert list(islice(check(game, SEED), 3)) == []


@pytest.mark.slow
@every_game
def test_moves_played_all_at_once_lead_where_they_lead_one_by_one(game: Game) -> None:
    draw = random.Random(SEED)
    for line in some_games(game, SEED):
        first, last = line[0], line[-1]
        seats = [position.to_move for position in line[:-1]]
        middle = draw.randrange(len(seats) + 1)
        moves = last.moves[first.ply :]
        halfway = first.play_all(moves[:middle], seats[:middle])
        assert halfway is not None
        assert_same(halfway, line[middle])
        end = halfway.play_all(moves[middle:], seats[middle:])
        if end is None:  # then it is looked at one by one
            assert last.outcome() == (None, Ending.THREEFOLD_REPETITION)
            continue
        assert_same(end, last)
        for ply, text in enumerate(halfway.legal_moves()):
            assert (halfway.play_all([text], [halfway.to_move]) is None) == (halfway.outcome() is not None), ply
        assert first.play_all((*moves[:1], "", *moves[1:]), [seats[0], *seats]) is None
        assert first.play_all(("\ud800",), seats[:1]) is None
        assert first.play_all(moves, [1 - seats[0], *seats[1:]]) is None
        assert first.play_all((*moves, moves[-1]), [*seats, seats[-1]]) is None  # it is over by then


def assert_same(one: Position, other: Position) -> None:
    """All that can be asked of them is equal."""
    for asked in ("text", "legal_moves", "move_codes", "outcome", "history", "repetitions"):
        assert getattr(one, asked)() == getattr(other, asked)(), asked
    for name in ("moves", "start_text", "to_move", "ply", "earlier_keys"):
        assert getattr(one, name) == getattr(other, name), name


def assert_one_sentence(error: Exception) -> None:
    assert str(error).isprintable()
    assert len(str(error)) < 400


@every_game
def test_random_options_are_refused_or_start_a_game(game: Game) -> None:
    draw = random.Random(SEED)
    values = [0, 1, -1, 3, 5, 10**9, "", "7", "1,2", "x", "yes", True, None, 2.5, [], {}, b"1", "\u0663", "9" * 10**5]
    option_names = [option.name for option in game.options] + ["", "unknown", "HEAPS"]
    for _ in range(300):
        options = {draw.choice(option_names): draw.choice(values) for _ in range(draw.randint(0, 3))}
        try:
            position = game.start(options)
        except OptionError as error:
            assert_one_sentence(error)
        else:
            assert position.outcome() is None
            assert game.parse(position.text()).text() == position.text()


@every_game
def test_options_read_their_own_values_back(game: Game) -> None:
    values = game.read_options()
    assert game.read_options(values) == values
    assert game.read_options({name: str(value) for name, value in values.items()}) == values
    assert game.start(values).text() == game.start().text()


@every_game
def test_a_position_shows_its_text_to_programmers(game: Game) -> None:
    assert all(position.text() in repr(position) for position in random_positions(game, 3, SEED))


# what is left of a colour for who lacks one kind of cones (Machado, Oliveira, Fernandes 2009, severity 1)
CONES_LACKING = {
    "red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


@every_game
@pytest.mark.parametrize("lacking", CONES_LACKING)
def test_the_colours_of_the_seats_are_distinguishable(game: Game, lacking: str) -> None:
    linear = np.array([[int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] for colour in game.seat_colours]) ** 2.2
    seen = np.clip(linear @ np.array(CONES_LACKING[lacking]).T, 0, 1) ** (1 / 2.2)
    assert np.abs(seen[0] - seen[1]).max() > 0.3


@every_game
def test_counts_are_given_in_a_few_words(game: Game) -> None:
    for position in random_positions(game, 20, SEED):
        assert all(len(words) < 60 and words.isprintable() for words in game.tally(position))
