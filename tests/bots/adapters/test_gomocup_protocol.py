"""What is said to an engine of Gomocup's protocol and understood of it, without a program."""

from __future__ import annotations

import pytest

from tabiya.bots.adapters.engine_protocol import EngineProtocolError
from tabiya.bots.adapters.gomocup_protocol import GomocupProtocol
from tabiya.bots.players.api import MoveReply
from tabiya.games.registry import load_game
from tests.bots.requests import request_at

GAME = load_game("connect5")
RULES = ["INFO game_type 1", "INFO rule 0"]


def ready(**options: str) -> GomocupProtocol:
    protocol = GomocupProtocol(tuple(options.items()))
    assert protocol.is_greeted('name="Brain", version="1.0"')
    assert protocol.new_game("connect5") == ["START 15"]
    assert protocol.is_ready("OK - everything is good")
    return protocol


def test_a_game_begins_and_goes_on_by_turns() -> None:
    protocol, start = ready(max_memory="83886080"), GAME.start()
    times = ["INFO timeout_turn 1000", "INFO timeout_match 0", "INFO time_left 2147483647"]
    memory = "INFO max_memory 83886080"
    assert protocol.search(request_at(start)) == ["RESTART", *RULES, memory, *times, "BEGIN"]
    assert protocol.read_reply("OK") is None
    assert protocol.read_reply("MESSAGE depth 3") is None
    assert protocol.read_reply("DEBUG 7,7") is None
    assert protocol.read_reply("UNKNOWN max_memory") is None
    assert protocol.read_reply("7, 8") == MoveReply(move="h9", pv=("h9",), text="depth 3")
    assert protocol.search(request_at(start.play("h9").play("a2")))[-1] == "TURN 0,1"
    assert protocol.name == "Brain"


def test_an_engine_may_leave_out_its_name() -> None:
    protocol = GomocupProtocol()
    assert not protocol.is_greeted("MESSAGE loading")
    assert protocol.is_greeted('author="Somebody", version="7.9",  www="https://example.org"')
    assert protocol.name == ""


@pytest.mark.parametrize("last", ["ERROR no place", "SUGGEST 7,7"])
def test_the_whole_board_is_given_where_the_engine_has_not_followed(last: str) -> None:
    protocol, position = ready(), GAME.start().play("a1").play("b1")
    protocol.search(request_at(position))
    reply = protocol.read_reply(last)
    assert reply is not None
    assert (reply.move, reply.text) == (("h8", "") if last[0] == "S" else ("", last))
    later = protocol.search(request_at(position.play("c1").play("d1").play("e1")))
    assert later[-7:] == ["BOARD", "0,0,2", "1,0,1", "2,0,2", "3,0,1", "4,0,2", "DONE"]


@pytest.mark.parametrize(
    ("control", "left_ms", "times"),
    [
        ("60+0.5", 40_000, (2_500, 60_000, 40_000)),
        ("10/60", 40_000, (4_950, 60_000, 40_000)),  # not more than the time for the move
        ("2/move", 2_000, (4_950, 0, 2_147_483_647)),
    ],
)
def test_times_are_sent_as_limits_of_the_turn_and_the_match(
    control: str, left_ms: int, times: tuple[int, int, int]
) -> None:
    asked = request_at(
        GAME.start(), time_control=control, remaining_ms=left_ms, moves_to_go=8 if "/" in control else None
    )
    named = zip(("timeout_turn", "timeout_match", "time_left"), times, strict=True)
    assert ready().search(asked)[-4:-1] == [f"INFO {name} {value}" for name, value in named]


@pytest.mark.parametrize(("columns", "rows", "word"), [(20, 20, "START 20"), (20, 15, "RECTSTART 20,15")])
def test_another_board_is_started_when_it_is_known(columns: int, rows: int, word: str) -> None:
    assert ready().search(request_at(GAME.start({"columns": columns, "rows": rows})))[0] == word


def test_a_board_that_it_rejects_is_reported_before_any_game() -> None:
    with pytest.raises(EngineProtocolError, match="does not play on 15x15: ERROR size"):
        GomocupProtocol().is_ready("ERROR size")
