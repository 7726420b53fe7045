"""Many games at once: what a step says, and what is no step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tabiya.games.board_setup import BoardSetup, ShownBoard
from tabiya.games.endings import Ending
from tabiya.games.picture import EMPTY, Place
from tabiya.games.registry import load_game, names
from tabiya.games.rules import Outcome
from tabiya.research import batch_env
from tabiya.research.batch_env import BatchEnv
from tabiya.research.encoding import EncodingError
from tabiya.research.environment import GameEnv
from tests.games.test_python_game import Countdown
from tests.tabiya.research.one_by_one import compared


@pytest.mark.slow
@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("game", names())
def test_all_at_once_games_go_as_one_by_one(game: str, seed: int, autoreset: bool) -> None:
    compared(game, seed, autoreset=autoreset)


class Matches(Countdown):
    """Rules in plain Python with a picture of nine matches."""

    pieces = {"o": "match"}  # noqa: RUF012  # nobody changes it

    def parse_setup(self, text: str) -> BoardSetup:
        return BoardSetup(self, text, self.read(text)[1])

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        left = self.read(position.text())[0]
        return tuple(Place(str(at), at, 0, 1, 1, "match" if at <= left else EMPTY) for at in range(1, 10))


def test_so_do_those_of_rules_in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Matches("matches", "Matches")
    monkeypatch.setattr(batch_env, "load_game", lambda name: game)
    compared("matches", 1, autoreset=True)


@pytest.mark.parametrize("game", names())
def test_arrays_have_the_shapes_and_types_of_the_environment_of_one_game(game: str) -> None:
    one = GameEnv(game)
    one.reset()
    spaces: Any = one.observation_space("player_0")
    now = BatchEnv(game).reset(2)
    for array, name in ((now.observations, "observation"), (now.masks, "action_mask")):
        assert (array.shape[1:], array.dtype) == (spaces[name].shape, spaces[name].dtype)
        assert np.array_equal(array[1], one.observe("player_0")[name])
    lines = [(str(array.dtype), array.shape) for array in now[2:]]
    assert lines == [("int8", (2,)), ("float32", (2, 2)), ("bool", (2,))]


def test_the_third_time_a_position_stands_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_env, "ROOM", 2)
    environment = BatchEnv("chess")
    environment.reset(1)
    moves = ("b1c3", "b8c6", "c3b1", "c6b8") * 2
    done = [bool(environment.step([environment.encoding.action(move)]).done[0]) for move in moves]
    assert done == [False] * 7 + [True]
    assert environment.outcome(0) == Outcome(None, Ending.THREEFOLD_REPETITION)


def test_the_same_seed_draws_the_same_games() -> None:
    def drawn(seed: int, games: int = 50) -> list[list[int]]:
        environment = BatchEnv("tictactoe", autoreset=True)
        environment.reset(games, seed)
        found = []
        for _ in range(20):
            found.append(environment.random_actions().tolist())
            environment.step(found[-1])
        return found

    assert drawn(3) == drawn(3) != drawn(4)
    assert len({*map(tuple, np.array(drawn(3)).T.tolist())}) == 50


def test_an_illegal_action_is_said_and_nothing_is_played() -> None:
    environment = BatchEnv("reversi")
    environment.reset(3)
    before = environment.states.copy()
    legal = environment.encoding.action("d3")
    assert environment.outcome(0) is None
    with pytest.raises(EncodingError, match=r"game 1: action 0 is no legal move in -.* X"):
        environment.step([legal, 0, legal])
    with pytest.raises(EncodingError, match=r"3 games take an array of as many actions, not one of shape \(2,\)"):
        environment.step([legal, legal])
    with pytest.raises(TypeError, match="Cannot cast"):
        environment.step(np.array([float(legal)] * 3))
    assert np.array_equal(environment.states, before)
    assert environment.plies.tolist() == [0, 0, 0]


def test_what_cannot_be_stepped_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(load_game("nim")), "max_move_text", 9)
    with pytest.raises(EncodingError, match="moves of Nim are too long: 8 letters at most"):
        BatchEnv("nim")
    monkeypatch.setattr(batch_env, "load_game", lambda name: Countdown("countdown", "Countdown"))
    with pytest.raises(EncodingError, match="name no places"):
        BatchEnv("countdown")
