"""What holds of every game's evaluation and ordering."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import njit

from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.options import SOUND, Options
from tabiya.bots.evaluators.base import EVALUATION_LIMIT
from tabiya.bots.players.catalogue import EVALUATORS, evaluator_for
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.bots.search.scores import WON, plies_to_end
from tabiya.games.mnk import Mnk
from tabiya.games.nim import Nim
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.positions import unfinished
from tests.games.playouts import random_positions
from tests.processes import python

pytestmark = pytest.mark.slow
EVERY_GAME = pytest.mark.parametrize("name", names())


def exchanged(position: Position) -> Position:
    """The same position with the seats exchanged: what is good for the side to move is as good for the other."""
    game, text = load_game(position.game.name), position.text()
    if game.name in ("chess", "chess960"):
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
    return int(evaluation_of(evaluator_for(position.game), position.state))


@EVERY_GAME
def test_every_game_has_a_evaluator_of_its_own(name: str) -> None:
    assert name in EVALUATORS
    assert type(evaluator_for(load_game(name))).__module__.startswith("tabiya.bots.evaluators.")


@EVERY_GAME
def test_the_evaluation_is_within_its_limit_and_the_same_with_the_seats_exchanged(name: str) -> None:
    for position in unfinished(name, 200, 41):
        found = evaluation(position)
        assert abs(found) <= EVALUATION_LIMIT
        assert evaluation(exchanged(position)) == found, position


@njit  # type: ignore[untyped-decorator]
def ask(evaluator: Any, state: Any, moves: Any, counts: Any) -> Any:
    """Candidates, forced and noisy moves as rows of `moves`, how many of each in `counts`; whether any is legal."""
    counts[0] = evaluator.candidates(state, moves[0])
    counts[1] = evaluator.forced(state, moves[1])
    counts[2] = evaluator.noisy(state, moves[2])
    return evaluator.mobile(state, moves[3])


class Asked:
    """What an evaluator says of a position. moves: candidates, forced and noisy ones, as numbers."""

    def __init__(self, position: Position) -> None:
        evaluator, counts = evaluator_for(position.game), np.zeros(3, np.int64)
        moves = np.zeros((4, evaluator.width), np.int32)
        self.mobile = bool(ask(evaluator, position.state, moves, counts))
        self.moves = [moves[row, : counts[row]].tolist() for row in range(3)]


@EVERY_GAME
def test_candidates_forced_and_noisy_moves_are_legal_and_some_candidate_is_always_left(name: str) -> None:
    for position in unfinished(name, 40, 42):
        numbers = {position.check_move(text) for text in position.legal_moves()}
        asked = Asked(position)
        assert 0 < len(asked.moves[0]) <= len(numbers)
        for moves in asked.moves:
            assert set(moves) <= numbers
        assert asked.mobile


@pytest.mark.parametrize("name", ["tictactoe", "connect5", "reversi", "chess"])
def test_a_finished_game_is_known_as_finished_without_listing_its_moves(name: str) -> None:
    ended = [p for p in random_positions(load_game(name), 3_000, 44) if p.outcome() is not None][:20]
    assert ended
    for position in ended:
        asked = Asked(position)
        assert asked.mobile == bool(position.legal_moves())
        assert asked.moves[1] == []


def test_when_replies_are_forced_one_wins_at_once_or_every_other_loses() -> None:
    """It loses at once, or to a four at both ends: in three plies, the opponent having no more to do than to see it."""
    draw, kinds = random.Random(43), Counter[int]()
    for name in ("tictactoe", "connect5"):
        engine = Engine(
            evaluator_for(load_game(name)), Options(**{switch: True for switch in SOUND if switch != "exact_depth"})
        )
        for position in unfinished(name, 80, 43):
            only = Asked(position).moves[1]
            texts = {position.check_move(text): text for text in position.legal_moves()}
            if only and position.play(texts[only[0]]).outcome() is not None:
                kinds[1] += 1
                continue
            others = sorted(set(texts) - set(only)) if only else []
            for move in draw.sample(others, min(2, len(others))):
                found = engine.search(position.play(texts[move]), depth=3)
                assert found.value > WON, (position, texts[move])
                kinds[plies_to_end(found.value) or 0] += 1
    assert min(kinds[1], kinds[3]) > 5, kinds


STRANGER = """
import numpy as np
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.bots.textbook.board import LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.games.mnk import Mnk
from tabiya.games.nim import Nim

class Stranger(Nim):
    pass

game = Stranger("stranger", "Stranger")
with np.errstate(all="ignore"):
    start = game.start({"heaps": "1,2"})
    found = CompiledListing(find("alphabeta-failsoft"), LeafEvaluator(evaluator_for(game), near=True)).search(start, 4)
    print(found.move, found.value > 0, evaluation_of(evaluator_for(game), start.state))
"""


def test_a_game_without_a_evaluator_is_searched_by_its_rules_alone() -> None:
    """Searched interpreted, for a search is long to compile; that such an evaluator compiles is asked of one hook."""
    assert python("-c", STRANGER, NUMBA_DISABLE_JIT="1") == "b1 True 0\n"

    class Stranger(Nim):
        """Rules that nobody has written an evaluation for."""

    state = load_game("nim").start().state
    assert evaluation_of(evaluator_for(Stranger("stranger", "Stranger")), state) == 0


def test_rules_that_serve_boards_of_several_sizes_need_no_evaluator_either() -> None:
    game = Mnk("connect4", "Connect 4", columns=7, rows=6, k=4)
    assert evaluator_for(game).width == len(game.start().legal_moves()) == 42


def test_a_game_whose_own_width_would_hide_the_evaluators_is_refused() -> None:
    """The searches would have room for so few moves only, and write beyond it."""
    game = Mnk("broad", "Broad", columns=3, rows=3, k=3)
    game.width = 3  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="broad: the rules have an attribute width"):
        evaluator_for(game)
