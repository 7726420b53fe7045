"""The Python side of the plain searches: limits, stopping, chance, what the results mean."""

from __future__ import annotations

import threading

import pytest

from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import StopToken
from tabiya.bots.search.scores import MATE, plies_to_end, value_text
from tabiya.bots.search.searcher import Search, Searcher
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.positions import unfinished

EVERY_GAME = pytest.mark.parametrize("name", names())
EVERY_ALGORITHM = pytest.mark.parametrize("algorithm", Search)
WON_IN_ONE = "3x3x3 XX-OO---- X"


def searcher(name: str, algorithm: Search = Search.ALPHABETA) -> Searcher:
    return Searcher(evaluator_for(load_game(name)), algorithm)


def board(text: str) -> Position:
    return load_game("tictactoe").parse(text)


@pytest.mark.slow
@EVERY_ALGORITHM
@EVERY_GAME
def test_a_stop_before_the_start_still_gives_a_legal_move_at_once(name: str, algorithm: Search) -> None:
    token = StopToken()
    token.stop()
    for position in unfinished(name, 4, 31):
        found = searcher(name, algorithm).search(position, depth=60, stop=token)
        assert found.move in position.legal_moves()
        assert (found.depth, found.value) == (0, 0)
        assert found.nodes <= 2


def test_a_stop_from_another_thread_ends_a_search_without_end() -> None:
    token, found = StopToken(), []
    position = load_game("connect5").start()
    engine = searcher("connect5")
    engine.search(position, depth=1)  # nothing compiles while the other thread is waited for
    thread = threading.Thread(target=lambda: found.append(engine.search(position, stop=token)))
    thread.start()
    token.stop()
    thread.join(timeout=30)
    assert found[0].move in position.legal_moves()


def test_a_token_stops_every_later_search_too() -> None:
    token, engine = StopToken(), searcher("tictactoe")
    assert engine.search(board(WON_IN_ONE), stop=token).depth > 0
    token.stop()
    assert engine.search(board(WON_IN_ONE), stop=token).depth == 0
    assert engine.search(board(WON_IN_ONE)).depth > 0


@EVERY_ALGORITHM
def test_a_node_limit_holds_to_within_256_nodes(algorithm: Search) -> None:
    found = searcher("connect5", algorithm).search(load_game("connect5").start(), nodes=5_000)
    assert 1_000 < found.nodes <= 5_256


def test_no_time_left_means_the_first_move_at_once() -> None:
    found = searcher("connect5").search(load_game("connect5").start(), time_s=0)
    assert found.move
    assert found.nodes <= 512


def test_where_compiled_code_has_no_clock_a_timer_thread_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.bots.search.limits.HAS_CLOCK", False)
    engine, position = searcher("connect5"), load_game("connect5").start()
    found = engine.search(position, time_s=0.02)  # would go on for hours
    assert found.move in position.legal_moves()
    assert engine.search(position, depth=1, time_s=60.0).depth == 1  # and the timer of a search that ends goes with it
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


@pytest.mark.slow
@EVERY_GAME
def test_the_same_question_has_the_same_answer_whatever_was_searched_before(name: str) -> None:
    first, second = unfinished(name, 2, 32)
    engine = searcher(name)
    fresh = engine.search(first, depth=4)
    engine.search(second, depth=4)
    again = engine.search(first, depth=4)
    assert again._replace(time_s=0.0) == fresh._replace(time_s=0.0)


@EVERY_ALGORITHM
def test_equal_moves_are_drawn_by_lot_with_a_seed_and_only_they(algorithm: Search) -> None:
    engine = searcher("tictactoe", algorithm)
    position = board("3x3x3 ----X---- O")  # the corners draw, the edges lose
    drawn = {engine.search(position, depth=8, seed=seed).move for seed in range(60)}
    assert drawn == {"a1", "a3", "c1", "c3"}
    assert len({engine.search(position, depth=8).move for _ in range(5)}) == 1
    assert len({engine.search(position, depth=8, seed=7).move for _ in range(5)}) == 1


def test_no_more_depth_is_searched_once_the_value_is_exact() -> None:
    found = searcher("tictactoe").search(load_game("tictactoe").start(), depth=60, time_s=60.0)  # so it deepens
    assert found.exact
    assert found.value == 0
    assert found.depth <= 9


def test_the_nearest_win_and_the_longest_defence_are_preferred() -> None:
    win = searcher("tictactoe", Search.ALPHABETA).search(board(WON_IN_ONE), depth=5)
    assert (win.move, win.value, plies_to_end(win.value)) == ("c1", int(MATE) - 1, 1)
    loss = searcher("tictactoe", Search.ALPHABETA).search(board("3x3x3 X-XOX-O-- O"), depth=3)
    assert plies_to_end(loss.value) == 2


def test_a_finished_game_and_limits_out_of_range_are_refused() -> None:
    engine = searcher("tictactoe")
    with pytest.raises(ValueError, match="the game is over"):
        engine.search(board("3x3x3 XXXOO---- O"))
    with pytest.raises(ValueError, match="1 to 64 plies deep, not 65"):
        engine.search(board(WON_IN_ONE), depth=65)
    with pytest.raises(ValueError, match="at least 1 node"):
        engine.search(board(WON_IN_ONE), nodes=0)
    with pytest.raises(ValueError, match="seconds, not -1"):
        engine.search(board(WON_IN_ONE), time_s=-1)


def test_threads_that_share_a_searcher_wait_for_one_another() -> None:
    engine, found = searcher("tictactoe"), []
    position = load_game("tictactoe").start()
    threads = [threading.Thread(target=lambda: found.append(engine.search(position, depth=9))) for _ in range(6)]
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
    for algorithm in Search:
        found = searcher("chess", algorithm).search(position, depth=2)
        assert (found.move, found.value) == ("g8h8", 0), algorithm
    forgotten = position.game.parse(position.text())
    assert searcher("chess").search(forgotten, depth=2).value < -300


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (125, "+1.25"),
        (-5, "-0.05"),
        (30_000 - 5, "won in 5 plies"),
        (1 - 30_000, "lost in 1 ply"),
        (20_012, "won by 12"),
        (-20_012, "lost by 12"),
    ],
)
def test_values_are_told_in_words(value: int, text: str) -> None:
    assert value_text(value) == text
