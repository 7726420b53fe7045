"""The playing engine without a fixed depth plays Nim by its rule, whatever the heaps."""

from __future__ import annotations

import pytest

from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.players.perfect_nim import is_won, read_heaps
from tabiya.bots.players.search_player import EnginePlayer
from tabiya.bots.search.scores import MATE, WON
from tabiya.bots.solvers.nim import NimSolver
from tabiya.games.nim.text import LARGEST_HEAP, MOST_HEAPS
from tabiya.games.registry import load_game
from tests.bots.requests import request_at

LARGEST = ",".join([str(LARGEST_HEAP)] * (MOST_HEAPS - 1) + ["1"])


@pytest.mark.parametrize("play", ["normal", "misere"])
@pytest.mark.parametrize("heaps", ["3,5,7", "1,1,2", "5", LARGEST])
def test_a_won_position_is_known_and_its_move_leaves_a_lost_one(heaps: str, play: str) -> None:
    position = load_game("nim").parse(f"{heaps} {play} 1")
    found = NimSolver().search(position)
    assert found.value in {WON + 1, MATE - 1}
    assert not is_won(read_heaps(position.play(found.move).text()))


def test_a_lost_position_and_the_last_move_are_known() -> None:
    game = load_game("nim")
    assert NimSolver().search(game.parse("1,2,3 normal 1")).value == -WON - 1
    assert NimSolver().search(game.parse("0,4 normal 1")).value == MATE - 1
    assert NimSolver().search(game.parse("0,4 misere 1")).value == WON + 1


@pytest.mark.slow
def test_the_player_asks_the_rule() -> None:
    player, position = EnginePlayer(), load_game("nim").parse(f"{LARGEST} normal 1")
    assert isinstance(evaluator_for(position.game).ending_solver(0), NimSolver)
    player.new_match(MatchInfo(match=1, game="nim"))
    reply = player.choose(request_at(position))
    assert reply.nodes == 0
    assert not is_won(read_heaps(position.play(reply.move).text()))
