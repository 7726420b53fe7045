"""Kalah, in which a player may move again: the rules, published values, and all that supposes whose turn comes next."""

from __future__ import annotations

import importlib
import itertools
import random
import warnings
from dataclasses import replace
from typing import Any, cast

import pytest
from pettingzoo.test import api_test

from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.base import Evaluator, bound
from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.catalogue import LISTINGS, Horizon, Listing, find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.order import Guess
from tabiya.bots.textbook.recording.calls import calls_to
from tabiya.bots.textbook.recording.recording import Recorder
from tabiya.bots.textbook.run_listing import SearchSetup, best_moves, run_listing
from tabiya.check.harness import Harness
from tabiya.check.scripted_match import ScriptedMatch
from tabiya.games import registry
from tabiya.games.contract import Game
from tabiya.games.position import Position
from tabiya.games.transcript import GameRecord
from tabiya.games.transcript_reader import read_transcripts
from tabiya.research.encoding import Encoding
from tabiya.research.environment import GameEnv
from tabiya.review import judge as review
from tests.examples.twins import kalah as twin
from tests.games.twins.comparing import compare_playout
from tests.processes import ROOT, python
from tests.tabiya.research.one_by_one import compared

pytestmark = pytest.mark.slow

PACKAGE = ROOT / "examples" / "games" / "kalah"
# For the first player, by pits and seeds in each: Irving, Donkers, Uiterwijk, Solving Kalah, ICGA Journal 23:3, 2000.
# There the game ends when any row is empty: did it end when the mover's is, one pit with five seeds would be a draw.
PUBLISHED = {1: "DLWLWD", 2: "WLLLWW", 3: "DWWWWL", 4: "WWW"}


@pytest.fixture
def kalah(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The game, registered as an installed package's is."""
    monkeypatch.syspath_prepend(PACKAGE)
    line = importlib.import_module("tabiya_kalah").GAME
    monkeypatch.setattr(registry, "all_games", lambda: registry.OURS | {"kalah": line})
    game = registry.load_game.__wrapped__("kalah")
    monkeypatch.setattr(registry, "load_game", lambda name: game)
    return game


@pytest.fixture
def evaluator(kalah: Game) -> Evaluator:
    return bound(importlib.import_module("tabiya_kalah.evaluator").KalahEvaluator, kalah)


def test_it_equals_its_naive_twin_on_every_board(kalah: Game) -> None:
    draw = random.Random(6)
    for pits, seeds in itertools.product(range(1, 7), range(1, 7)):
        for _ in range(3):
            start = kalah.start({"pits": pits, "seeds": seeds})
            assert compare_playout(start, twin, twin.start(pits, seeds), draw) > 1


@pytest.mark.parametrize(("pits", "values"), PUBLISHED.items())
def test_the_engine_finds_the_published_values(kalah: Game, evaluator: Evaluator, pits: int, values: str) -> None:
    engine, found = Engine(evaluator), ""
    for seeds in range(1, len(values) + 1):
        result = engine.search(kalah.start({"pits": pits, "seeds": seeds}))
        assert result.exact
        found += "D" if result.value == 0 else "W" if result.value > 0 else "L"
    assert found == values


def test_the_tally_is_what_is_in_the_stores(kalah: Game) -> None:
    position = kalah.start()
    for move in ("c", "f", "e"):  # South's last seed falls into its store, then one of its seeds, then North's last
        position = position.play(move)
    south, north = ([int(number) for number in row.split(",")] for row in position.text().split()[:2])
    assert kalah.tally(position) == (f"{south[-1]} seeds", f"{north[-1]} seeds")
    assert (south[-1], north[-1]) != (0, 0)


def test_the_value_counts_seeds(kalah: Game, evaluator: Evaluator) -> None:
    """By the twin, whole trees: 3 pits and 2 seeds are won by 4."""
    assert naive_lead(twin.start(3, 2)) == 4
    assert Engine(evaluator).search(kalah.start({"pits": 3, "seeds": 2})).text == "won by 4"


def naive_lead(position: twin.Position) -> int:
    """By how many seeds South wins, both playing their best."""
    if twin.outcome(position):
        return position.south[-1] - position.north[-1]
    leads = [naive_lead(twin.play(position, move)) for move in twin.legal_moves(position)]
    return max(leads) if position.side == "S" else min(leads)


SEARCHED = "4,0,1,2,1,0,3 0,3,1,0,2,1,2 S", "1,0,2,0,0,1,9 0,2,0,1,1,0,8 N", "0,0,2,1,0,1,9 1,0,0,0,2,0,8 S"


@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
def test_each_listing_finds_the_minimax_value_printed_and_compiled(
    kalah: Game, evaluator: Evaluator, listing: Listing
) -> None:
    leaf_evaluator = LeafEvaluator(evaluator, wins=Wins.ONE if listing.precludes else Wins.SOONER)
    for text, depth in itertools.product(SEARCHED, (1, 4)):
        position = kalah.parse(text)
        book = run_listing(listing, Board(position, leaf_evaluator), depth)
        compiled = CompiledListing(listing, leaf_evaluator)
        assert replace(compiled.search(position, depth), time_s=0.0) == replace(book, time_s=0.0)
        assert compiled.best_moves(position, depth) == best_moves(listing, Board(position, leaf_evaluator), depth)
        if listing.looks is Horizon.TO_DEPTH:
            assert book.value == minimax(Board(position, leaf_evaluator), depth)
            assert listing.search(Board(position, leaf_evaluator), depth) == book.value


def minimax(board: Board, depth: int) -> int:
    """The value for the side to move, without any sign."""
    values = leads(board, depth)
    return values if board.seat == 0 else -values


def leads(board: Board, depth: int) -> int:
    """The value for South."""
    if depth == 0 or board.over:
        return board.analysis()
    return (max, min)[board.seat](leads(board.play(move), depth - 1) for move in board.moves())


@pytest.mark.parametrize("guess", Guess)
@pytest.mark.parametrize("quiescence", [False, True])
def test_orders_windows_and_quiescence_are_the_same_compiled(
    kalah: Game, evaluator: Evaluator, guess: Guess, quiescence: bool
) -> None:
    leaf_evaluator, setup = LeafEvaluator(evaluator, quiescence=quiescence), SearchSetup(guess)
    for text, name in itertools.product(SEARCHED, ("alphabeta-failsoft", "pvs-failhard", "alphabeta-printed")):
        position = kalah.parse(text)
        for window in ((-INFINITY, INFINITY), (-40, 60), (150, 151)):
            book = run_listing(find(name), Board(position, leaf_evaluator), 4, setup, window)
            compiled = CompiledListing(find(name), leaf_evaluator, setup).search(position, 4, window)
            assert replace(compiled, time_s=0.0) == replace(book, time_s=0.0)


@pytest.mark.parametrize("name", ["000-minimax", "000-negamax-alphabeta", "001-alphabetapvs", "002-maxab-minab"])
def test_a_recorded_search_is_stepped_through(kalah: Game, evaluator: Evaluator, name: str) -> None:
    listing, recorder = find(name), Recorder()
    board = Board(kalah.parse(SEARCHED[0]), LeafEvaluator(evaluator), horizon=3)
    run_listing(listing, board, 3, observers=[recorder])
    recording = recorder.recording(of_mover=listing.of_mover)
    seats = recording.columns["seat"]
    again = [visit for visit in range(1, len(recording)) if seats[visit] == seats[recording.path(visit)[-2]]]
    for visit in (again[0], again[-1]):
        calls = calls_to(recording, visit, listing, board, 3, (-INFINITY, INFINITY))
        assert [call.visit for call in calls] == recording.path(visit)
        for call in calls:
            assert call.returned is not None
            assert call.returned.variables["return"] == recording.value[call.visit]


INTERPRETED = """
import sys
sys.path.insert(0, sys.argv[1])
from tabiya_kalah.evaluator import KalahEvaluator
from tabiya_kalah.rules import Kalah
from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.base import bound
game = Kalah("kalah", "Kalah")
for text in sys.argv[2:]:
    print(Engine(bound(KalahEvaluator, game), table_mb=1).search(game.parse(text), depth=6)[:5])
"""


def test_the_engine_finds_the_same_interpreted(kalah: Game, evaluator: Evaluator) -> None:
    result = python("-W", "ignore", "-c", INTERPRETED, str(PACKAGE), *SEARCHED, NUMBA_DISABLE_JIT="1")
    compiled = [Engine(evaluator, table_mb=1).search(kalah.parse(text), depth=6)[:5] for text in SEARCHED]
    assert result.splitlines() == list(map(str, compiled))


@pytest.fixture
def doubled(kalah: Game) -> Position:
    """South has moved twice, and North once."""
    return kalah.start().play("c").play("f").play("a")


def test_it_is_known_who_made_each_move(doubled: Position) -> None:
    assert (doubled.movers(), doubled.to_move) == ((0, 0, 1), 0)


def test_a_transcript_says_whose_move_it_is_and_is_read_back(kalah: Game, doubled: Position) -> None:
    record = GameRecord(doubled.start_text, doubled.play("b").moves)
    text = kalah.transcript(record)
    assert text.endswith("\n1. c 1. f a 2. b *\n")
    (again,) = read_transcripts(kalah, text)
    assert again.moves == record.moves


def test_a_review_turns_values_only_with_the_mover(
    kalah: Game, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.bots.players.catalogue.evaluator_for", lambda game: evaluator)
    start, moves = kalah.start({"pits": 3, "seeds": 2}), ("b", "a")
    judged = list(review.judge(kalah, start.text(), moves, 50_000))
    assert [(move.seat, move.best_value) for move in judged] == [(0, "won by 4"), (0, "won by 4")]


def test_a_checked_bot_is_asked_when_its_opponent_has_moved_as_often_as_it_may(kalah: Game) -> None:
    moved = []
    for first in "abdef":
        match = ScriptedMatch(1, kalah.start().play(first), seat=0)
        Harness.opponent_moves(cast("Any", None), match)
        assert match.is_bots_turn
        moved.append(match.position.ply - 1)
    assert set(moved) > {1}


def test_an_environment_of_pettingzoo_has_the_same_agent_again(kalah: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.research.environment.load_game", lambda name: kalah)
    environment = GameEnv("kalah")
    environment.reset()
    environment.step(2)
    assert environment.agent_selection == "player_0"
    environment.step(5)
    assert environment.agent_selection == "player_1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it says of every environment here: tests/tabiya/research
        api_test(environment, num_cycles=100)


def test_many_games_at_once_go_as_one_by_one(kalah: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.research.batch_env.load_game", lambda name: kalah)
    compared("kalah", 1, autoreset=True)


def test_an_environment_sees_the_bits_of_the_record(kalah: Game) -> None:
    encoding = Encoding(kalah.start())
    assert (encoding.shape, encoding.actions) == ((1, kalah.state.itemsize, 8), 7)
    assert encoding.observe(kalah.start()).sum() == 12 + 2  # twelve pits of 4 seeds, and 6 pits
