"""The exact solver finds what plain minimax on the rules finds, and what is published; it stops when told."""

from __future__ import annotations

import itertools
import threading
import time
from pathlib import Path

import pytest

from benchmarks.endgames import endgames, measure
from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.build import build_player
from tabiya.bots.search.clock import SECOND_NS
from tabiya.bots.search.limits import StopToken
from tabiya.bots.solvers.reversi import solver as solver_module
from tabiya.bots.solvers.reversi.endgame import solve
from tabiya.bots.solvers.reversi.solver import Solver
from tabiya.bots.solvers.reversi.table import NO_SQUARE
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.requests import request_at
from tests.bots.solvers.reversi.twin import best_margin, late_positions, margin

pytestmark = pytest.mark.slow
WON_BY_TWO = "XOOOOOOO-OOOOOOO-OXOOOXOOOOXOOOO-OXOXXOOOXOXOXXOOXXXXXXOOXXXXXXX O"  # O must pass
LOST_BY_ALL = "XO-XO----O-XXOXX-OOXOXXX-OOXXXXXOOOXXXXX--XXXXXX-XXXXXXXXXXXXXXX O"
CROWDED = "----X----OO-OXO--OXX-XX---X--XO-XO--OXO--XX-XX---OXOOOO--------- X"  # with 35 moves
OPEN = b".numba.unresolved$"  # begins the name of a symbol that machine code needs and nobody has


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(table_mb=1)


@pytest.mark.parametrize(
    ("empties", "count"), [(1, 80), (2, 120), (3, 120), (4, 100), (5, 60), (6, 30), (7, 15), (8, 8)]
)
def test_it_finds_what_plain_minimax_finds_and_a_move_that_gets_it(empties: int, count: int, solver: Solver) -> None:
    for position in late_positions(empties, count, seed=empties):
        found, exact = solver.search(position), best_margin(position)
        assert found.exact
        assert margin(found.value) == exact, position
        assert -best_margin(position.play(found.move)) == exact, position


@pytest.mark.parametrize("empties", [10, 13, 15])
def test_with_a_table_of_one_bucket_it_finds_the_same(empties: int, solver: Solver) -> None:
    small = Solver(table_mb=0)
    for position in late_positions(empties, 4, seed=70 + empties):
        assert small.search(position).value == solver.search(position).value


def test_published_results_are_found() -> None:
    row = measure(endgames()[40], Solver())
    assert (row.found, row.move, row.right) == (38, "a2", True)


def test_moves_are_judged_as_published() -> None:
    endgame, solver = endgames()[40], Solver()
    for move, result in endgame.results.items():
        found = solver.search(endgame.position.play(move), nodes=3_000_000)
        assert not found.exact or -margin(found.value) == result, move


def test_the_same_question_costs_the_same_nodes_again(solver: Solver) -> None:
    position, counts = late_positions(14, 1, seed=71)[0], []
    for _ in range(2):
        solver.forget()
        counts.append(solver.search(position).nodes)
    assert counts[0] == counts[1]
    assert solver.search(position).nodes < counts[0]  # what it has found helps


def test_what_is_lost_with_every_disc_has_a_move(solver: Solver) -> None:
    position = load_game("reversi").parse(LOST_BY_ALL)
    found = solver.search(position)
    assert (margin(found.value), found.exact) == (-64, True)
    assert found.move in position.legal_moves()


def test_a_side_that_cannot_play_passes(solver: Solver) -> None:
    for position in late_positions(6, 400, seed=72):
        if position.legal_moves() == ("pass",):
            found = solver.search(position)
            assert found.move == "pass"
            assert margin(found.value) == best_margin(position)


def test_it_stops_within_milliseconds_of_a_stop_and_at_its_time(solver: Solver) -> None:
    hard, stop = endgames()[59].position, StopToken()
    alarm = threading.Timer(0.05, stop.stop)
    alarm.start()
    solver.search(hard, stop=stop)
    alarm.join()
    started = time.thread_time()
    found = solver.search(endgames()[50].position, time_s=0.02)
    assert time.thread_time() - started < 0.06
    assert not found.exact
    assert found.move in endgames()[50].position.legal_moves()


def test_a_node_limit_ends_it_near_there(solver: Solver) -> None:
    found = solver.search(endgames()[50].position, nodes=100_000)
    assert 100_000 <= found.nodes < 140_000
    assert not found.exact
    assert found.depth == 0


def test_the_seconds_of_the_compiler_are_not_taken_for_the_speed_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    position, slow = late_positions(18, 1, seed=74)[0], itertools.count(0, 10 * SECOND_NS)
    solver = Solver(table_mb=1)
    expected_s = solver.expected_s(position)
    monkeypatch.setattr(solver_module, "now_ns", lambda: next(slow))
    solver.warm(position)
    assert solver.expected_s(position) == expected_s


def test_one_search_that_stood_still_does_not_keep_it_from_all_that_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    position, slow, solver = late_positions(18, 1, seed=74)[0], itertools.count(0, 10 * SECOND_NS), Solver(table_mb=1)
    expected_s = solver.expected_s(position)
    monkeypatch.setattr(solver_module, "now_ns", lambda: next(slow))
    solver.search(position, nodes=1)
    assert 1.9 * expected_s < solver.expected_s(position) <= 2 * expected_s
    for _ in range(5):
        solver.search(position, nodes=1)
    assert solver.expected_s(position) > 30 * expected_s  # a slow machine is one


def test_for_a_won_pass_only_the_proved_result_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    passing, solver = load_game("reversi").parse(WON_BY_TWO), Solver(table_mb=1)
    within = solver._within
    assert best_margin(passing) == 2
    wide = max(late_positions(5, 20, seed=72), key=lambda position: solver.search(position).value)
    assert margin(solver.search(wide).value) > 2

    def only_who_wins(position: Position, low: int, high: int) -> tuple[int | None, int]:
        return within(position, low, high) if (low, high) == (-1, 1) else (None, int(NO_SQUARE))

    monkeypatch.setattr(solver, "_within", only_who_wins)
    found = solver.search(passing)
    assert (found.move, found.exact) == ("pass", False)
    assert 0 < margin(found.value) <= 2


def test_there_is_room_for_the_moves_of_any_position() -> None:
    position, solver = load_game("reversi").parse(CROWDED), Solver(table_mb=0)
    solver.search(position, nodes=50_000)
    listed = {int(square) for square in solver._work["squares"][0]} - {0}
    moves = {8 * int(move[1]) - 8 + "abcdefgh".index(move[0]) for move in position.legal_moves()}
    assert len(moves) == 35
    assert moves - {0} == listed


def test_what_was_proved_before_the_limit_is_returned() -> None:
    endgame, solver = endgames()[40], Solver()
    known = solver.search(endgame.position, nodes=1_000_000)
    assert not known.exact
    assert known.value > 0
    assert endgame.results[known.move] > 0


def test_the_player_solves_when_it_can() -> None:
    player = build_player("pvs", table_mb=1)
    player.new_match(MatchInfo(match=1, game="reversi"))
    position = late_positions(16, 1, seed=73)[0]
    thought = player.choose(request_at(position, budget_s=20.0))
    assert thought.depth == 16
    assert thought.text
    assert thought.score == Solver(table_mb=1).search(position).value


def test_a_player_told_to_stop_answers_with_a_legal_move() -> None:
    player = build_player("pvs", table_mb=1)
    player.new_match(MatchInfo(match=1, game="reversi"))
    position = endgames()[50].position
    alarm = threading.Timer(0.05, player.stop)
    alarm.start()
    thought = player.choose(request_at(position, budget_s=60.0, remaining_ms=10**8, time_control="100000"))
    alarm.join()
    assert thought.move in position.legal_moves()


def test_the_machine_code_in_the_cache_has_no_symbol_open(solver: Solver) -> None:
    """A recursion of two signatures leaves one: to run it from the cache is a crash (tests/bots/test_compiled.py)."""
    solver.search(late_positions(14, 1, seed=75)[0])
    kept = solve._cache._cache_file
    codes = [Path(kept._cache_path, file).read_bytes() for file in kept._load_index().values()]
    assert codes
    assert not any(OPEN in code for code in codes)
