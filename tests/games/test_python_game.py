"""A game in plain Python: all that others can do it can, and what its author does wrong is said."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

import pytest

from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.scores import WON
from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.check_game.checks import CHECKS
from tabiya.games import python_game
from tabiya.games.compiled import kernel_types
from tabiya.games.contract import Option, OptionValue
from tabiya.games.endings import Ending
from tabiya.games.errors import PositionError
from tabiya.games.perft import perft
from tabiya.games.python_game import MOST_MOVES, PythonGame
from tabiya.games.rules import Outcome
from tabiya.research.encoding import Encoding, EncodingError
from tabiya.research.playouts import random_playouts


class Countdown(PythonGame):
    """One to three are taken away; who takes the last wins, and who takes two moves again. A position is a tuple."""

    rules_version = 1
    seat_names, seat_colours = ("A", "B"), ("#000000", "#ffffff")
    endings = ("none_left",)
    draws_possible = False
    max_plies = 99
    move_pattern = re.compile("[1-3]")
    move_hint = "how many"
    options = (Option("left", 9, "how many there are", 1, 99),)
    moves_by_name: Mapping[str, int] = MappingProxyType({"1": 1, "2": 2, "3": 3})

    def first(self, options: Mapping[str, OptionValue]) -> tuple[int, int]:
        return int(options["left"]), 0

    def read(self, text: str) -> tuple[int, int]:
        found = re.fullmatch(r"([1-9]\d?|0) ([AB])", text, re.ASCII)
        if found is None:
            raise PositionError("a position is a number and A or B, such as 9 A")
        return int(found[1]), "AB".index(found[2])

    def written(self, position: tuple[int, int]) -> str:
        return f"{position[0]} {'AB'[position[1]]}"

    def mover(self, position: tuple[int, int]) -> int:
        return position[1]

    def moves(self, position: tuple[int, int]) -> list[str]:
        return [name for name, number in self.moves_by_name.items() if number <= position[0]]

    def after(self, position: tuple[int, int], move: str) -> tuple[int, int]:
        return position[0] - int(move), position[1] if move == "2" and position[0] > 2 else 1 - position[1]

    def result(self, position: tuple[int, int]) -> Outcome | None:
        return None if position[0] else Outcome(1 - position[1], "none_left")

    def value(self, position: tuple[int, int]) -> int:
        return position[0]


class Ring(Countdown):
    """Three places in a ring: a step, after which one moves again, or the turn passes. It never ends by itself."""

    endings = (Ending.THREEFOLD_REPETITION,)
    draws_possible = True

    def moves(self, position: tuple[int, int]) -> list[str]:
        return ["1", "2"]

    def after(self, position: tuple[int, int], move: str) -> tuple[int, int]:
        return ((position[0] + 1) % 3, position[1]) if move == "1" else (position[0], 1 - position[1])

    def result(self, position: tuple[int, int]) -> Outcome | None:
        return None

    def comes_again(self, position: tuple[int, int]) -> int:
        return 60


@pytest.fixture
def game() -> Countdown:
    return Countdown("countdown", "Countdown")


@pytest.mark.parametrize("name", [name for name in CHECKS if name != "interpreted"])  # that one is of registered games
def test_it_keeps_to_the_contract_of_all_games(game: Countdown, name: str) -> None:
    assert list(CHECKS[name](game, 1)) == []


def test_perft_and_random_games_of_the_compiled_kind_play_it(game: Countdown) -> None:
    assert [perft(game.start(), depth) for depth in (1, 2, 3)] == [3, 9, 27]
    played = random_playouts(game.start(), 50, seed=1, threads=2)
    assert set(played.winners.tolist()) == {0, 1}


@pytest.mark.slow
def test_listings_and_engine_search_it_by_its_own_value(game: Countdown) -> None:
    leaf_evaluator, position = LeafEvaluator(evaluator_for(game)), game.start({"left": 30})
    for name in ("minimax", "alphabeta-failhard", "pvs-failhard"):
        book = run_listing(find(name), Board(position, leaf_evaluator), 4)
        compiled = CompiledListing(find(name), leaf_evaluator).search(position, 4)
        assert replace(compiled, time_s=0.0) == replace(book, time_s=0.0)
    engine = Engine(evaluator_for(game))
    values = [engine.search(game.start({"left": left})).value for left in range(1, 9)]
    assert [value >= WON for value in values] == [won(left) for left in range(1, 9)]
    assert all(abs(value) >= WON for value in values)


@pytest.mark.slow
def test_a_position_may_come_again_after_any_number_of_plies_where_a_player_moves_again() -> None:
    ring = Ring("ring", "Ring")
    start = ring.start({"left": 2})
    third = start.play("1").play("1").play("1").play("1").play("1").play("1")
    assert third.outcome() == (None, Ending.THREEFOLD_REPETITION)
    leaf_evaluator = LeafEvaluator(evaluator_for(ring))
    for name in ("minimax", "alphabeta-failsoft"):
        book = run_listing(find(name), Board(start.play("1").play("1").play("1"), leaf_evaluator), 7)
        compiled = CompiledListing(find(name), leaf_evaluator).search(start.play("1").play("1").play("1"), 7)
        assert replace(compiled, time_s=0.0) == replace(book, time_s=0.0)
        assert book.leaves < 2**7 or name != "minimax"  # some lines end before
    before = start.play("1").play("1").play("1").play("1").play("1")
    found = Engine(evaluator_for(ring)).search(before, depth=1)
    assert (found.move, found.value) == ("1", 0)  # without the draw a step would be worth 2


def won(left: int) -> bool:
    """Whether who is to move wins, by the rules above."""
    again = {take: take == 2 and left > 2 for take in (1, 2, 3) if take <= left}
    return any(won(left - take) == moves_again for take, moves_again in again.items())


def test_its_moves_have_no_numbers_without_places_of_a_picture(game: Countdown) -> None:
    with pytest.raises(EncodingError, match="moves of Countdown name no places of its picture"):
        Encoding(game.start())


def test_what_fails_in_it_fails_with_it_and_is_logged(
    game: Countdown, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(game, "after", lambda position, move: 1 / 0)
    with caplog.at_level(logging.ERROR), pytest.raises(RuntimeError, match="the log says how"):
        game.start().play("1")
    assert "ZeroDivisionError" in caplog.text


def test_more_moves_than_there_is_room_for_are_refused(game: Countdown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "moves_by_name", {f"{number:03}": 1 for number in range(MOST_MOVES + 1)})
    with pytest.raises(ValueError, match="at most 1000 letters, 400 moves of 8 letters"):
        game.start()


def test_a_method_that_would_be_compiled_is_refused() -> None:
    with pytest.raises(TypeError, match="Half is a PythonGame, which has no generate of its own"):
        type("Half", (Countdown,), {"__module__": "outside", "generate": lambda self, state, moves: 0})
    mixed = type("Mixed", (), {"__module__": "outside", "make": lambda self, state, move, child: None})
    before = kernel_types._CLASSES[PythonGame.kernel_name()]
    with pytest.raises(TypeError, match="Half is a PythonGame, which has no make of its own"):
        type("Half", (mixed, Countdown), {"__module__": "outside"})
    assert kernel_types._CLASSES[PythonGame.kernel_name()] is before


def test_a_value_beyond_the_bounds_is_no_proven_win(game: Countdown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "value", lambda position: 50_000)
    leaf_evaluator = LeafEvaluator(evaluator_for(game))
    assert abs(run_listing(find("minimax"), Board(game.start({"left": 90}), leaf_evaluator), 1).value) < WON


def test_what_is_not_known_any_more_is_read_again(game: Countdown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_game, "MOST_KNOWN", 2)
    draw, position = random.Random(1), game.start({"left": 99})
    earlier = [position]
    while position.outcome() is None:
        position = position.play(draw.choice(position.legal_moves()))
        earlier.append(position)
    for before, after in pairwise(earlier):
        assert before.play(str(after.last_move)).text() == after.text()
