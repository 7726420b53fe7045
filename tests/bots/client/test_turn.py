from __future__ import annotations

import copy

import pytest

from tabiya.bots.client.turn import Turn
from tabiya.games.errors import IllegalMove
from tabiya.games.registry import load_game
from tabiya.protocol.messages import Clocks, History
from tests.bots.client.fake_server import GAME, turn


def test_a_turn_has_what_the_message_has() -> None:
    message = turn(match=3, ply=4, clock_ms=Clocks(you=5_000, opponent=6_000), increment_ms=100)
    shown = Turn(message, 10.0, refused="because")
    assert (shown.match, shown.ply, shown.game, shown.seat) == (3, 4, GAME, 0)
    assert (shown.clock_ms, shown.opponent_clock_ms, shown.increment_ms) == (5_000, 6_000, 100)
    assert shown.position_text == message.position
    assert shown.refused == "because"
    assert {name for name in message.__struct_fields__ if not hasattr(shown, name)} == set()


def test_a_copy_of_a_turn_is_the_turn() -> None:
    shown = Turn(turn(), 0.0)
    assert copy.deepcopy({"turn": shown})["turn"] is shown


def test_a_match_without_clocks_has_none() -> None:
    shown = Turn(turn(clock_ms=None), 0.0)
    assert shown.clock_ms is None
    assert shown.opponent_clock_ms is None


def test_the_deadline_is_counted_from_when_the_message_was_read() -> None:
    now = [100.0]
    shown = Turn(turn(move_limit_ms=2_500), received=99.0, clock=lambda: now[0])
    assert (shown.deadline, shown.time_left) == (101.5, 1.5)
    now[0] = 103.0
    assert shown.time_left == -1.5


def test_a_turn_can_be_stopped() -> None:
    shown = Turn(turn(), 0.0)
    assert not shown.stopped
    shown.stop()
    assert shown.stopped


@pytest.mark.slow
def test_the_position_has_the_rules_and_the_history() -> None:
    start = load_game(GAME).start()
    now = start.play("b2").play("a1")
    history = History(position=start.text(), moves=("b2", "a1"))
    shown = Turn(turn(position=now.text(), history=history, legal_moves=None, ply=2), 0.0)
    assert shown.position().text() == now.text()
    assert shown.position() is shown.position()
    assert shown.position().moves == ("b2", "a1")
    assert shown.legal_moves == now.legal_moves()
    with pytest.raises(IllegalMove):
        shown.position().play("b2")
