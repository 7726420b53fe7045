"""Every game as OpenSpiel has games: its own test of games passes, and its playthrough says what our rules say."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.observation import make_observation

from tabiya.games.registry import load_game, names
from tabiya.research import openspiel

pytestmark = pytest.mark.slow

START = "import pyspiel, tabiya.research.openspiel; print(pyspiel.load_game('tabiya_nim').new_initial_state())"


@pytest.fixture(params=names())
def game(request: pytest.FixtureRequest) -> Any:
    return pyspiel.load_game(f"tabiya_{request.param}")


def test_openspiels_own_test_of_games_passes(game: Any) -> None:
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_a_playthrough_says_what_the_rules_say() -> None:
    from open_spiel.python.algorithms import generate_playthrough  # loads SciPy, seconds of each worker

    actions = [4, 0, 8, 2, 6, 7, 3, 5, 1]
    text = generate_playthrough.playthrough("tabiya_tictactoe", actions)
    position = load_game("tictactoe").start()
    spiel = pyspiel.load_game("tabiya_tictactoe")
    state = spiel.new_initial_state()
    assert f"# {position.text()}\n" in text
    for action in actions:
        move = state.action_to_string(action)
        state.apply_action(action)
        position = position.play(move)
        if position.outcome() is not None:
            break
    assert f"# {position.text()}\n" in text
    outcome = position.outcome()
    assert outcome is not None
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0] if outcome.winner is None else state.returns()[outcome.winner] == 1.0


def test_an_observation_is_that_of_the_encoding(game: Any) -> None:
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    observation = make_observation(game)
    observation.set_from(state, player=0)
    assert np.array_equal(observation.dict["observation"], state.encoding.observe(state.position))
    assert observation.string_from(state, player=1) == state.position.text() == str(state)


def test_a_copy_goes_its_own_way(game: Any) -> None:
    state = game.new_initial_state()
    copied = state.clone()
    copied.apply_action(copied.legal_actions()[-1])
    assert str(state) == load_game(game.name).start().text() != str(copied)


def test_options_are_parameters() -> None:
    small = pyspiel.load_game("tabiya_connect5(columns=9,rows=9)")
    assert small.num_distinct_actions() == 82
    assert str(small.new_initial_state()).startswith("9x9x5 ")
    heaps = pyspiel.load_game("tabiya_nim(heaps=1;2;3,misere=true)")
    assert str(heaps.new_initial_state()) == "1,2,3 misere 1"
    with pytest.raises(Exception, match="columns"):
        openspiel.game_class("connect5")({"columns": 4})


def test_a_process_that_has_them_ends_well() -> None:
    done = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3,5,7 normal 1\n", "")
