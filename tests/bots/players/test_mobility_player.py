from __future__ import annotations

import pytest

from tabiya.bots.players.mobility_player import MobilityPlayer
from tabiya.games.registry import load_game
from tests.bots.requests import request_at


@pytest.mark.parametrize("seed", [1, 2])
def test_no_other_move_leaves_the_opponent_fewer(seed: int) -> None:
    position, player = load_game("reversi").start(), MobilityPlayer()
    for _ in range(12):
        move = player.choose(request_at(position, seed=seed)).move
        left = {move: len(position.play(move).legal_moves()) for move in position.legal_moves()}
        assert left[move] == min(left.values())
        position = position.play(move)


def test_equal_moves_are_drawn_by_the_seed() -> None:
    position, player = load_game("reversi").start(), MobilityPlayer()
    assert len({player.choose(request_at(position, seed=seed)).move for seed in range(20)}) == 4
