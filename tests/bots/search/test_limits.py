"""When a search ends, and what its values mean."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from tabiya.bots.search.limits import StopToken, checked, timer
from tabiya.bots.search.scores import value_text
from tabiya.games.registry import load_game


def test_a_finished_game_and_limits_out_of_range_are_refused() -> None:
    game = load_game("tictactoe")
    for text, depth, time_s, nodes, sentence in (
        ("3x3x3 XXXOO---- O", None, None, None, "the game is over"),
        ("3x3x3 XX-OO---- X", 65, None, None, "1 to 64 plies deep, not 65"),
        ("3x3x3 XX-OO---- X", None, None, 0, "at least 1 node"),
        ("3x3x3 XX-OO---- X", None, -1, None, "seconds, not -1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            checked(game.parse(text), depth, time_s, nodes, soft_s=None)


def test_a_token_stops_what_it_watches_and_every_later_search_too() -> None:
    token, during, ended, later = StopToken(), *(SimpleNamespace(stop=0) for _ in range(3))
    with token.watching(ended):
        pass
    with token.watching(during):
        token.stop()
    with token.watching(later):
        pass
    assert (during.stop, ended.stop, later.stop) == (1, 0, 1)


def test_the_timer_of_a_search_that_ends_early_does_not_stop_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.bots.search.limits.HAS_CLOCK", False)
    work = SimpleNamespace(stop=0)
    with timer(work, 3600.0):
        (running,) = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
    assert not running.is_alive()
    assert not work.stop


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
def test_values_are_written_in_words(value: int, text: str) -> None:
    assert value_text(value) == text
