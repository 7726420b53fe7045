"""Compiled and interpreted rules are the same rules: a second process runs them without the compiler."""

from __future__ import annotations

import json

import pytest

from tabiya.games.registry import load_game, names
from tests.games.chess import walks
from tests.games.described import described
from tests.games.playouts import random_positions
from tests.processes import python

COUNT, SEED = 100, 99


@pytest.mark.slow
def test_the_interpreted_rules_say_the_same_of_a_hundred_positions_of_each_game() -> None:
    asked = [(name, position.text()) for name in names() for position in random_positions(load_game(name), COUNT, SEED)]
    asked += [("chess", position.text()) for position, *_ in walks.positions(COUNT, SEED)]  # from odd starts
    questions = "\n".join(map(json.dumps, asked))
    said = python("-m", "tests.games.described", said=questions, NUMBA_DISABLE_JIT="1").splitlines()
    for (name, text), line in zip(asked, said, strict=True):
        assert json.loads(line) == json.loads(json.dumps(described(name, text))), f"seed {SEED}: {name} {text}"
