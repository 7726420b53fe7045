"""What a move costs beside thinking is learned from the server's accounts. Time is numbers."""

from __future__ import annotations

import pytest

from tabiya.bots.pool.overhead import DEFAULT_S, MOVES_KEPT, Overhead
from tabiya.protocol.messages import MoveAccount


def account(think_ms: int, credit_ms: int = 0) -> MoveAccount:
    return MoveAccount(server_ms=900, network_ms=0, think_ms=think_ms, credit_ms=credit_ms)


def after(*moves: tuple[float | None, int, int]) -> Overhead:
    """The overhead after moves of one match: what each player said it thought, what the server charged, its credit."""
    found = Overhead()
    for number, (time_ms, think_ms, credit_ms) in enumerate(moves):
        found.replied(1, 2 * number, time_ms)
        found.charged(1, 2 * number + 2, account(think_ms, credit_ms))
    return found


def test_it_is_what_was_charged_and_not_thought_on_average() -> None:
    assert after((5.0, 9, 0), (5.0, 7, 0)).seconds == pytest.approx(0.003)
    assert after((5.0, 105, 100)).seconds == 0.0
    assert after((5.5, 5, 0)).seconds == 0.0


def test_before_anything_is_known_it_is_that_of_an_idle_machine() -> None:
    assert Overhead().seconds == DEFAULT_S


def test_only_the_last_moves_count() -> None:
    assert after((0.0, 500, 0), *[(0.0, 4, 0)] * MOVES_KEPT).seconds == pytest.approx(0.004)


def test_a_player_that_does_not_say_how_long_it_thought_teaches_nothing() -> None:
    assert after((None, 500, 0)).seconds == DEFAULT_S


def test_a_turn_that_comes_again_and_a_match_that_is_over_teach_nothing() -> None:
    found = Overhead()
    found.replied(1, 4, 1.0)
    found.charged(1, 4, account(500))  # refused: the account is of the move before
    found.replied(2, 4, 1.0)
    found.forget(2)
    found.charged(2, 6, account(500))
    found.charged(3, 6, account(500))  # joined in the middle
    found.charged(1, 6, None)
    assert found.seconds == DEFAULT_S
