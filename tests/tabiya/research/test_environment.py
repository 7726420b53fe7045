"""Every game as an environment: PettingZoo's own tests, and what they do not look at."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from tabiya.games.registry import names
from tabiya.research.encoding import EncodingError
from tabiya.research.environment import GameEnv, env
from tests.processes import without
from tests.source_rules.sources import ROOT

# What the test says of every environment with a mask beside the observation that is not on its list of its own games.
EXPECTED = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
}


@pytest.mark.slow
@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize("game", names())
def test_the_api_test_of_pettingzoo_passes(game: str, wrapped: bool) -> None:
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always")
        api_test(env(game) if wrapped else GameEnv(game), num_cycles=200)
    assert {str(warning.message) for warning in reported} <= EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_two_environments_with_the_same_seed_are_alike(game: str) -> None:
    seed_test(lambda: env(game), num_cycles=20)


def last(environment: Any) -> tuple[Any, float, bool]:
    observation, reward, termination, _, _ = environment.last()
    return observation, reward, termination


def test_the_winner_gets_one_and_the_loser_minus_one() -> None:
    environment = env("tictactoe")
    environment.reset(options={"position": "3x3x3 XX-OO---- X"})
    environment.step(GameEnv("tictactoe").encoding.action("c1"))
    rewards = {}
    for agent in environment.agent_iter():
        observation, rewards[agent], over = last(environment)
        assert over
        assert not observation["action_mask"].any()
        environment.step(None)
    assert rewards == {"player_0": 1, "player_1": -1}


def test_a_draw_gives_nothing_and_the_second_seat_may_begin() -> None:
    environment = GameEnv("tictactoe", render_mode="ansi")
    environment.reset(options={"position": "3x3x3 XOXXOOOX- X"})
    assert environment.agent_selection == "player_0"
    assert "O" in (environment.render() or "")
    environment.step(8)
    assert (environment.rewards, environment.terminations["player_1"]) == ({"player_0": 0, "player_1": 0}, True)
    environment.reset(options={"position": "3x3x3 XX-O----- O"})
    assert environment.agent_selection == "player_1"
    assert not environment.observe("player_0")["action_mask"].any()
    environment.close()


def test_an_illegal_move_loses_with_the_wrappers_and_is_an_error_without() -> None:
    raw = GameEnv("reversi")
    raw.reset()
    with pytest.raises(EncodingError):
        raw.step(0)
    environment = env("reversi")
    environment.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        environment.step(np.int64(0))
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert environment.rewards["player_0"] == -1


def test_options_of_the_game_make_other_boards() -> None:
    assert GameEnv("connect5", columns=9, rows=9).encoding.shape == (9, 9, 4)


@pytest.mark.slow
def test_without_the_package_everything_else_works() -> None:
    program = (
        without("pettingzoo", "gymnasium") + "import tabiya.research.policy_bot, tabiya.server.app, tabiya.cli.main"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
