"""The conversation in this process: lines in, lines out; small searches only."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from tabiya.bots.engine.engine import Report
from tabiya.bots.search.limits import Line, SearchResult, StopToken
from tabiya.bots.solvers import solving_engine
from tabiya.bots.uci import running_search
from tabiya.bots.uci.running_search import count_leaves
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.uci.board import Board

pytestmark = pytest.mark.usefixtures("compiled")
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


def test_a_mate_is_reported_as_a_mate() -> None:
    board = Board()
    board.tell(f"position fen {MATE_IN_ONE}", "go mate 1")
    assert board.wait("bestmove") == "bestmove a1a8"
    board.tell("go depth 2")
    assert " score mate 1 " in board.wait("info depth 2")


def test_chess960_is_played_while_its_option_is_set() -> None:
    board = Board()
    board.tell("setoption name UCI_Chess960 value true")
    board.tell("position fen 4k3/8/8/8/8/8/8/RR2K3 w B - 0 1 moves e1b1 e8e7", "go depth 2 searchmoves d1d5")
    assert board.wait("bestmove").startswith("bestmove d1d5")
    board.tell("setoption name UCI_Chess960 value false")
    board.tell("position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "go depth 1 searchmoves e1c1")
    assert board.wait("bestmove").startswith("bestmove e1c1")


def test_an_endless_search_answers_isready_and_ends_at_stop_and_not_before() -> None:
    board = Board()
    board.tell(f"position fen {MATE_IN_ONE}", "go infinite")
    board.wait("info depth 1 ")
    board.tell("isready")
    board.wait("readyok")
    assert not any(line.startswith("bestmove") for line in board.printed)
    board.tell("stop")
    assert board.wait("bestmove") == "bestmove a1a8"


@pytest.mark.slow
def test_a_stop_is_obeyed_in_milliseconds() -> None:
    board = Board()
    board.tell("go infinite")
    board.wait("info depth 5 ")
    took = []
    for _ in range(3):
        begun = time.perf_counter()
        board.tell("stop")
        board.wait("bestmove")
        took.append(time.perf_counter() - begun)
        board.tell("go infinite")
        board.wait("info depth 4 ")
    board.tell("stop")
    board.wait("bestmove")
    assert min(took) < 0.05  # another process may take the processor; all three times is unlikely


def test_only_the_moves_asked_for_are_searched() -> None:
    board = Board()
    board.tell("go depth 2 searchmoves a2a3 h2h4 e9e8")
    assert board.wait("bestmove").split()[1] in ("a2a3", "h2h4")


@pytest.mark.parametrize("before", ["setoption name MultiPV value 2", "setoption name Level value casual"])
@pytest.mark.parametrize("times", [2, 400])
def test_a_move_asked_for_twice_is_one_move(before: str, times: int) -> None:
    board = Board()
    board.tell(before, "go depth 2 searchmoves" + " a2a3" * times)
    assert board.wait("bestmove").split()[1] == "a2a3"


@pytest.mark.parametrize(
    ("found", "go", "answer"),
    [
        ("e2e4", "go depth 3", "bestmove e2e4 ponder e7e5"),
        ("", "go depth 3 searchmoves h2h4 a2a3", "bestmove h2h4"),
        ("", "go depth 3", "bestmove "),
    ],
)
def test_a_search_that_fails_answers_the_best_it_has_found(
    found: str, go: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(engine: Any, position: Position, *limits: Any, report: Report, **more: Any) -> SearchResult:
        if found:
            line = Line(30, (found, "e7e5"))
            report(SearchResult(found, 30, 2, 100, line.pv, 0.1, False, 2, (line,)))
        raise ValueError("boom")

    board = Board()
    board.tell("isready")
    monkeypatch.setattr(solving_engine.SolvingEngine, "search", failing)
    board.tell(go)
    assert board.wait("info string").startswith("info string the search failed: ValueError('boom')")
    assert board.wait("bestmove").startswith(answer)


def test_several_lines_each_have_another_first_move() -> None:
    board = Board()
    board.tell("setoption name MultiPV value 3", "go depth 2")
    first = [board.wait(f"info depth 2 seldepth {word}") for word in ("", "", "")]
    assert [line.split()[6] for line in first] == ["1", "2", "3"]
    assert len({line.split(" pv ")[1].split()[0] for line in first}) == 3
    board.wait("bestmove")


def test_after_ponderhit_it_answers_by_its_clock() -> None:
    board = Board()
    board.tell("go ponder wtime 200 btime 200")
    board.wait("info depth 2 ")
    assert not any(line.startswith("bestmove") for line in board.printed)
    board.tell("ponderhit")
    board.wait("bestmove")


def test_ponderhit_may_have_new_clocks() -> None:
    board = Board()
    board.tell("go ponder")
    board.wait("info depth 2 ")
    board.tell("ponderhit wtime 200 btime 200")
    board.wait("bestmove")


def test_a_time_for_one_move_and_a_clock_are_kept() -> None:
    board = Board()
    for command in ("go movetime 20", "go wtime 100 btime 100", "go wtime -5 btime 10", "go movetime 0"):
        begun = time.perf_counter()
        board.tell(command)
        board.wait("bestmove")
        assert time.perf_counter() - begun < 5  # not endless; how exact it is, benchmarks say


def test_leaves_are_counted_move_by_move() -> None:
    board = Board()
    board.tell("go perft 3")
    assert board.wait("a2a3: ") == "a2a3: 380"
    assert board.wait("Nodes searched") == "Nodes searched: 8902"


@pytest.mark.parametrize(
    ("game", "depth", "leaves"),
    [("chess", 4, 197_281), pytest.param("reversi", 7, 55_092, marks=pytest.mark.slow), ("tictactoe", 6, 54_720)],
)
def test_counting_in_pieces_counts_the_same(game: str, depth: int, leaves: int) -> None:
    assert count_leaves(load_game(game).start(), depth, StopToken()) == leaves


def test_counting_without_end_ends_at_stop() -> None:
    board = Board()
    board.tell("go perft 40", "isready")
    board.wait("readyok")
    board.tell("stop", "go depth 1")
    assert board.wait("Nodes searched")
    assert board.wait("bestmove")


def test_after_counting_no_move_is_answered() -> None:
    board = Board()
    board.tell("go perft 1", "isready")
    board.tell("go depth 1")
    board.wait("Nodes searched")
    assert board.wait("bestmove")
    assert not any(line.startswith("bestmove") for line in board.printed)


def test_a_game_that_goes_on_is_not_played_again_from_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    board, played, play = Board(), list[str](), Position.play
    board.tell("position startpos moves e2e4 e7e5")

    def noted(position: Position, move: str) -> Position:
        played.append(move)
        return play(position, move)

    monkeypatch.setattr(Position, "play", noted)
    board.tell("position startpos moves e2e4 e7e5 g1f3", "position startpos moves e2e4 e7e5", "d")
    assert played == ["g1f3", "e2e4", "e7e5"]
    assert board.printed[-1].endswith(" w KQkq - 0 2")


def test_orders_in_the_middle_of_a_search_end_it_with_its_answer() -> None:
    board = Board()
    board.tell("isready")
    for command in ("go depth 1", "ucinewgame", "setoption name Clear Hash", "setoption name Hash value 2", "quit"):
        board.tell("go infinite")
        board.program.run([command])
        board.wait("bestmove")


def test_the_end_of_the_input_ends_a_search() -> None:
    board = Board()
    board.tell("isready")
    board.program.run(["go infinite"])
    assert board.wait("bestmove")


@pytest.mark.parametrize("between", [(), ("setoption name Hash value 2", "isready")])
@pytest.mark.parametrize("last", [("quit",), ()])
def test_a_search_that_hears_no_stop_is_left_at_the_end(
    between: tuple[str, ...], last: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    board = Board()
    board.tell("isready")
    monkeypatch.setattr(solving_engine.SolvingEngine, "search", lambda *words, **more: may_end.wait())
    monkeypatch.setattr(running_search, "STOP_S", 0.01)
    board.program.run(["go infinite", *between, *last])
    assert board.program.is_stuck
    assert board.printed[1:] == ["info string the search does not end; it is left without its answer"]
    may_end.set()


def test_a_search_that_is_slow_to_hear_the_stop_is_waited_for_while_there_are_orders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_end = threading.Event()
    board = Board()
    board.tell("isready")
    monkeypatch.setattr(solving_engine.SolvingEngine, "search", lambda *words, **more: may_end.wait())
    monkeypatch.setattr(running_search, "STOP_S", 0.0)
    board.tell("go infinite")
    threading.Timer(3 * running_search.POLL_S, may_end.set).start()
    board.tell("setoption name Clear Hash")
    assert not board.program.is_stuck
    assert board.wait("bestmove")


def test_a_table_that_the_memory_does_not_hold_is_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = list[float](), solving_engine.SolvingEngine

    def sparing(evaluator: Any, table_mb: float, threads: int = 1) -> Any:
        made.append(table_mb)
        if table_mb > 1_000:
            raise MemoryError
        return make(evaluator, table_mb, threads)

    monkeypatch.setattr(solving_engine, "SolvingEngine", sparing)
    board = Board()
    board.tell("setoption name Hash value 4096", "isready", "go depth 1")
    board.wait("bestmove")
    assert made == [1, 4096, 16]
    board.tell("setoption name Hash value 4096", "isready")
    assert board.printed[0] == "info string there is no memory for a Hash of 4096 MB; 16 MB are used"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["reversi", "connect5"])
def test_other_games_speak_it_too(game: str) -> None:
    board = Board(game)
    board.tell("isready", "position startpos", "go depth 2")
    assert board.wait("bestmove").split()[1] in load_game(game).start().legal_moves()
