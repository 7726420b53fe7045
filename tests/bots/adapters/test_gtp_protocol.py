"""What is said to a GTP engine and understood of it, without a program."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tabiya.bots.adapters.engine_protocol import EngineProtocolError
from tabiya.bots.adapters.gtp_protocol import REVERSI_START, GtpProtocol
from tabiya.bots.players.api import MoveReply
from tabiya.games.registry import load_game
from tests.bots.requests import request_at

REVERSI, CONNECT5 = load_game("reversi"), load_game("connect5")
COMMANDS = ("name", "time_settings", "time_left", "level", "my-setup_board")


def ready(commands: Sequence[str] = COMMANDS, options: Sequence[tuple[str, str]] = ()) -> GtpProtocol:
    protocol = GtpProtocol(options)
    assert protocol.greeting() == ["1 name", "2 list_commands"]
    text = ["=1 Engine", "", f"=2 {commands[0]}", *commands[1:], ""]
    assert [line for line in text if protocol.is_greeted(line)] == [""]
    settings = protocol.settings()
    assert protocol.new_game("reversi") == [f"{3 + len(settings)} clear_board"]
    assert protocol.is_ready(f"={3 + len(settings)}")
    return protocol


def test_the_start_that_is_known_here_is_the_start_of_the_game() -> None:
    assert REVERSI.start().text() == REVERSI_START


def test_a_game_of_reversi_goes_on_by_moves() -> None:
    protocol, start = ready(), REVERSI.start()
    clocks = {"time_control": "60+1", "remaining_ms": 60_000, "opponent_ms": 59_900}
    assert protocol.search(request_at(start, **clocks)) == [
        *["4 time_settings 60 0 0", "5 time_left black 60 0", "6 time_left white 59 0"],
        *["7 boardsize 8", "8 clear_board", "9 genmove black"],
    ]
    assert [protocol.read_reply(line) for line in ("=4", "", "?5 what", "", "=8", "")] == [None] * 6
    assert protocol.read_reply("=9 D3") == MoveReply(move="d3", pv=("d3",))
    assert protocol.search(request_at(start.play("d3").play("c3"))) == ["10 play white C3", "11 genmove black"]
    assert protocol.name == "Engine"


def test_within_a_game_of_reversi_the_board_is_set_by_a_command_that_some_have() -> None:
    position = REVERSI.start().play("d3")
    cells = position.text().split()[0]
    assert f"7 my-setup_board {cells} white" in ready().search(request_at(position))
    with pytest.raises(EngineProtocolError, match="has no command setup_board"):
        ready(("name",)).search(request_at(position))


def test_a_pass_may_be_refused_and_a_move_may_not() -> None:
    protocol, passing = ready(), REVERSI.parse(f"{'X' * 62}O- O")
    protocol.search(request_at(passing))
    assert protocol.read_reply("=8 PASS") == MoveReply(move="pass", pv=("pass",))
    passed = replace(request_at(passing.play("pass")), ply=2)
    assert protocol.search(passed) == ["9 play white pass", "10 genmove black"]
    assert protocol.read_reply("?9 syntax error") is None
    assert protocol.read_reply("=10 H8") == MoveReply(move="h8", pv=("h8",))
    protocol.search(replace(passed, ply=4, last_move="a1"))
    assert protocol.read_reply("?11 illegal move") == MoveReply(move="", text="? illegal move (to play white A1)")
    assert protocol.read_reply("=12 E3") is None
    assert protocol.search(replace(passed, ply=4))[0] == "13 time_settings 0 1 1"


def test_columns_of_connect_5_are_named_without_an_i() -> None:
    protocol, position = ready(), CONNECT5.start().play("i9").play("h1")
    assert protocol.search(request_at(position, time_control="5/move", remaining_ms=5_000)) == [
        *["4 time_settings 0 5 1", "5 time_left black 5 1", "6 time_left white 5 1", "7 boardsize 15", "8 clear_board"],
        *["9 play black J9", "10 play white H1", "11 genmove black"],
    ]
    assert protocol.read_reply("=11 o15") == MoveReply(move="n15", pv=("n15",))
    wide = protocol.search(request_at(CONNECT5.start({"columns": 9, "rows": 7})))
    assert "rectangular_boardsize 9 7" in wide[1]


def test_an_engine_may_resign_or_answer_what_is_no_move() -> None:
    protocol = ready()
    protocol.search(request_at(REVERSI.start()))
    assert protocol.read_reply("=7 resign") == MoveReply(move="", resign=True)
    protocol.search(request_at(REVERSI.start()))
    assert protocol.read_reply("=11 Z9") == MoveReply(move="z9", pv=("z9",))


def test_a_missing_command_is_reported_before_any_game() -> None:
    with pytest.raises(EngineProtocolError, match="has no command 'depth'"):
        ready(options=(("depth", "3"),))
