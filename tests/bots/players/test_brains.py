"""What holds of every game's evaluation and ordering."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from bots.players.base import EVALUATION_LIMIT
from bots.players.catalogue import BRAINS, brain_for
from bots.search.bridge import evaluation_of
from bots.search.searcher import Search, Searcher
from bots.search.values import WON
from games.position import Position
from games.registry import load_game, names
from tests.bots.positions import unfinished
from tests.games.playouts import random_positions

pytestmark = pytest.mark.slow
EVERY_GAME = pytest.mark.parametrize("name", names())


def exchanged(position: Position) -> Position:
    """The same position with the seats exchanged: what is good for the side to move is as good for the other."""
    game, text = position.game, position.text()
    if game.name == "chess":
        placement, side, castling, en_passant, *counters = text.split()
        mirrored = "/".join(reversed(placement.split("/"))).swapcase()
        passed = en_passant.translate(str.maketrans("36", "63"))
        rights = "".join(sorted(castling.swapcase()))
        return game.parse(" ".join([mirrored, "wb"[side == "w"], rights, passed, *counters]))
    if game.name == "nim":
        return game.parse(text[:-1] + "12"[text[-1] == "1"])
    words = text.split(" ")
    swapped = [word.translate(str.maketrans("XO", "OX")) for word in words[-2:]]
    return game.parse(" ".join([*words[:-2], *swapped]))


def evaluation(position: Position) -> int:
    return int(evaluation_of(brain_for(position.game), position.state))


@EVERY_GAME
def test_every_game_has_a_brain_of_its_own(name: str) -> None:
    assert name in BRAINS
    assert type(brain_for(load_game(name))).__module__.startswith("bots.players.")


@EVERY_GAME
def test_the_evaluation_is_within_its_limit_and_the_same_with_the_seats_exchanged(name: str) -> None:
    for position in unfinished(name, 200, 41):
        found = evaluation(position)
        assert abs(found) <= EVALUATION_LIMIT
        assert evaluation(exchanged(position)) == found, position


@njit  # type: ignore[untyped-decorator]
def candidates(brain: Any, state: Any, moves: Any) -> Any:
    return brain.candidates(state, moves)


@njit  # type: ignore[untyped-decorator]
def forced(brain: Any, state: Any, moves: Any) -> Any:
    return brain.forced(state, moves)


@njit  # type: ignore[untyped-decorator]
def noisy(brain: Any, state: Any, moves: Any) -> Any:
    return brain.noisy(state, moves)


@njit  # type: ignore[untyped-decorator]
def mobile(brain: Any, state: Any, moves: Any) -> Any:
    return brain.mobile(state, moves)


@EVERY_GAME
def test_candidates_forced_and_noisy_moves_are_legal_and_some_candidate_is_always_left(name: str) -> None:
    brain = brain_for(load_game(name))
    moves = np.zeros(brain.width, np.int32)
    for position in unfinished(name, 40, 42):
        numbers = {position.check_move(text) for text in position.legal_moves()}
        assert 0 < candidates(brain, position.state, moves) <= len(numbers)
        for ask in (candidates, forced, noisy):
            assert set(moves[: ask(brain, position.state, moves)].tolist()) <= numbers
        assert mobile(brain, position.state, moves)


@pytest.mark.parametrize("name", ["tictactoe", "connect5", "reversi", "chess"])
def test_a_finished_game_is_known_as_finished_without_listing_its_moves(name: str) -> None:
    brain, game = brain_for(load_game(name)), load_game(name)
    moves = np.zeros(brain.width, np.int32)
    ended = [p for p in random_positions(game, 3_000, 44) if p.outcome() is not None][:20]
    assert ended
    for position in ended:
        assert bool(mobile(brain, position.state, moves)) == bool(position.legal_moves())
        assert forced(brain, position.state, moves) == 0


def test_when_replies_are_forced_no_other_move_is_better() -> None:
    for name in ("tictactoe", "connect5"):
        brain = brain_for(load_game(name))
        moves = np.zeros(brain.width, np.int32)
        engine, some = Searcher(brain, Search.ALPHABETA), 0
        for position in unfinished(name, 60, 43):
            only = set(moves[: forced(brain, position.state, moves)].tolist())
            if only:
                found = engine.search(position, depth=2)
                lost = found.value < -WON
                assert lost or position.check_move(found.move) in only
                some += 1
        assert some > 5


def test_a_game_without_a_brain_is_searched_by_its_rules_alone() -> None:
    from games.nim import Nim

    class Stranger(Nim):
        """Rules that nobody has written an evaluation for."""

    game = Stranger("stranger", "Stranger")
    found = Searcher(brain_for(game), Search.ALPHABETA).search(game.start({"heaps": "1,2"}), depth=4)
    assert (found.move, found.exact) == ("b1", True)
