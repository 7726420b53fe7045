"""The Python side of the engine: limits, stopping, threads, what it remembers, what its results mean."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.options import ENGINE, PLAIN, Options
from tabiya.bots.engine.search import search
from tabiya.bots.engine.search_thread import SearchThread
from tabiya.bots.engine.state import new_histories
from tabiya.bots.engine.transposition_table import EXTRA_ENTRIES, new_table
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import StopToken
from tabiya.bots.search.scores import MATE, plies_to_end
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.engine.minimax import minimax_value
from tests.bots.positions import unfinished

EVERY_GAME = pytest.mark.parametrize("name", names())
WON_IN_ONE = "3x3x3 XX-OO---- X"


def engine(name: str, options: Options = ENGINE, threads: int = 1) -> Engine:
    return Engine(evaluator_for(load_game(name)), options, table_mb=1, threads=threads)


def board(text: str) -> Position:
    return load_game("tictactoe").parse(text)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
@EVERY_GAME
def test_a_stop_before_the_start_still_gives_a_legal_move_at_once(name: str, threads: int) -> None:
    token = StopToken()
    token.stop()
    for position in unfinished(name, 4, 31):
        found = engine(name, threads=threads).search(position, depth=60, stop=token)
        assert found.move in position.legal_moves()
        assert (found.depth, found.value) == (0, 0)
        assert found.nodes <= 2 * threads


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_from_another_thread_ends_a_search_without_end(threads: int) -> None:
    token, found = StopToken(), []
    position = load_game("connect5").start()
    asked = engine("connect5", threads=threads)
    asked.search(position, depth=1)  # nothing compiles while the other thread is waited for
    thread = threading.Thread(target=lambda: found.append(asked.search(position, stop=token)))
    thread.start()
    token.stop()
    thread.join(timeout=30)
    assert found[0].move in position.legal_moves()


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_node_limit_is_shared_by_the_threads_and_holds_to_within_256_nodes_each(threads: int) -> None:
    found = engine("connect5", threads=threads).search(load_game("connect5").start(), nodes=10_000)
    assert 2_500 < found.nodes <= 10_000 + 256 * threads


@pytest.mark.slow
def test_what_one_of_the_threads_raises_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise ArithmeticError("of the second thread")

    asked, position = engine("connect5", threads=2), load_game("connect5").start()
    with monkeypatch.context() as patch:
        patch.setattr(asked._workers[1], "deepen", fail)
        with pytest.raises(ArithmeticError, match="of the second thread"):
            asked.search(position)  # which has no other end
    assert asked.search(position, depth=2).move


def test_no_time_left_means_the_first_move_at_once() -> None:
    found = engine("connect5").search(load_game("connect5").start(), time_s=0)
    assert found.move
    assert found.nodes <= 512


def test_a_search_ends_within_milliseconds_of_its_time() -> None:
    asked, position = engine("connect5"), load_game("connect5").start()
    asked.search(position, depth=1)
    overruns = []
    for _ in range(5):
        begun = time.perf_counter()
        asked.search(position, time_s=0.02)
        overruns.append(time.perf_counter() - begun - 0.02)
    assert min(overruns) < 0.01  # the best of five: a busy machine may stall any of them


def test_where_compiled_code_has_no_clock_a_timer_thread_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.bots.search.limits.HAS_CLOCK", False)
    asked, position = engine("connect5"), load_game("connect5").start()
    found = asked.search(position, time_s=0.02)  # would go on for hours
    assert found.move in position.legal_moves()
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


@pytest.mark.slow
def test_what_is_remembered_saves_nodes_and_can_be_forgotten() -> None:
    asked, position = engine("chess"), load_game("chess").start()
    fresh = asked.search(position, depth=9)
    assert asked.search(position, depth=9, remember=True).nodes < 0.75 * fresh.nodes
    assert asked.search(position, depth=9).nodes == fresh.nodes


@pytest.mark.slow
def test_threads_share_what_they_find() -> None:
    position = load_game("chess").start()
    together = engine("chess", threads=2).search(position, depth=8)
    assert together.move in position.legal_moves()
    assert together.depth == 8
    assert len(together.pv) >= 2


def test_a_partly_searched_iteration_is_used_where_it_found_a_better_move() -> None:
    asked, position = engine("chess"), load_game("chess").parse("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    for nodes in (300, 600, 2_000):
        assert asked.search(position, nodes=nodes).move == "d1d8"


def test_no_more_depth_is_searched_once_the_value_is_exact() -> None:
    found = engine("tictactoe").search(load_game("tictactoe").start(), depth=60)
    assert found.exact
    assert found.value == 0
    assert found.depth <= 9


def test_the_nearest_win_and_the_longest_defence_are_preferred() -> None:
    win = engine("tictactoe").search(board(WON_IN_ONE), depth=5)
    assert (win.move, win.value, plies_to_end(win.value)) == ("c1", int(MATE) - 1, 1)
    loss = engine("tictactoe").search(board("3x3x3 X-XOX-O-- O"), depth=3)
    assert plies_to_end(loss.value) == 2


def test_no_thread_and_reductions_without_an_order_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 thread, not 0"):
        engine("tictactoe", threads=0)
    with pytest.raises(ValueError, match="reductions need priorities"):
        replace(PLAIN, late_reductions=True)


def test_threads_that_share_an_engine_wait_for_one_another() -> None:
    asked, found = engine("tictactoe"), []
    position = load_game("tictactoe").start()
    threads = [threading.Thread(target=lambda: found.append(asked.search(position, depth=9))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len({(result.move, result.value, result.nodes) for result in found}) == 1
    assert len(found) == 6


def test_a_repetition_that_only_the_history_shows_is_a_draw() -> None:
    position = load_game("chess").parse("7k/8/8/8/8/8/1R6/K7 w - - 0 1")
    for move in ("b2b3", "h8g8", "b3b2", "g8h8", "b2b3", "h8g8", "b3b2"):
        position = position.play(move)
    found = engine("chess").search(position, depth=2)
    assert (found.move, found.value) == ("g8h8", 0)
    assert engine("chess").search(load_game("chess").parse(position.text()), depth=2).value < -300


def test_a_perpetual_check_saves_a_lost_game() -> None:
    position = load_game("chess").parse("6k1/5p1p/5Q2/8/8/8/qr4PP/7K w - - 0 1")
    assert engine("chess", replace(PLAIN, quiescence=True)).search(position, depth=2).value < -300
    assert engine("chess").search(position, depth=8).value == 0


def rook_against_king(halfmoves: int) -> Position:
    return load_game("chess").parse(f"7k/8/8/8/8/8/1R6/K7 w - - {halfmoves} 80")


def test_fifty_moves_without_progress_are_a_draw_inside_the_search() -> None:
    for halfmoves, drawn in ((96, True), (10, False)):
        assert (engine("chess").search(rook_against_king(halfmoves), depth=8).value == 0) == drawn


@pytest.mark.slow
def test_near_fifty_moves_nothing_in_the_table_is_believed_and_nothing_kept() -> None:
    worker, late = SearchThread(evaluator_for(load_game("chess")), new_table(0.1), new_histories()), engine("chess")

    def is_better_than_a_draw(halfmoves: int, depth: int) -> bool:
        worker.prepare(rook_against_king(halfmoves), Options(table=True, quiescence=True), [])
        worker.work.node_limit = 1 << 40
        in_a_null_window = (
            worker.evaluator,
            worker.stack,
            worker.work,
            worker.table,
            worker.histories,
            depth,
            0,
            1,
            0,
            0,
        )
        return int(search(*in_a_null_window)) > 0

    for depth, drawn in ((4, 97), (0, 100)):
        assert is_better_than_a_draw(10, depth)
        assert not is_better_than_a_draw(drawn, depth)
    assert late.search(rook_against_king(95), depth=3).value > 300
    assert not late._table["word"][:-EXTRA_ENTRIES].any()


@pytest.mark.parametrize("options", [PLAIN, ENGINE], ids=["plain", "engine"])
def test_a_mate_on_the_last_of_fifty_moves_is_a_mate(options: Options) -> None:
    position = load_game("chess").parse("7k/8/6K1/8/8/8/8/R7 w - - 99 100")
    for depth in range(1, 5):
        found = engine("chess", options).search(position, depth=depth)
        assert (found.move, found.value) == ("a1a8", int(MATE) - 1)


def test_the_engine_and_minimax_agree_on_who_wins_a_small_game() -> None:
    playing = engine("tictactoe")
    for position in unfinished("tictactoe", 20, 33):
        plain, found = minimax_value(position, 9), playing.search(position).value
        assert (plain > 0) - (plain < 0) == (found > 0) - (found < 0)
