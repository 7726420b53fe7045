from __future__ import annotations

import pytest

from tabiya.bots.adapters.engine_protocol import EngineProtocolError
from tabiya.bots.adapters.uci_protocol import UciProtocol, movetime_ms
from tabiya.bots.adapters.uci_text import UciInfo, best_move, go_line, position_line, read_info
from tabiya.bots.players.catalogue import UCI_GAMES
from tests.bots.requests import request

FEN = "8/8/8/8/8/8/8/K1k5 w - - 0 1"


def test_the_position_goes_with_the_moves_since_the_last_irreversible_one() -> None:
    asked = request("chess", position=FEN, history_position=FEN, history_moves=("a1a2", "c1c2"))
    assert position_line(asked) == f"position fen {FEN} moves a1a2 c1c2"
    assert position_line(request("chess", position=FEN, history_position=FEN)) == f"position fen {FEN}"


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"seat": 0, "increment_ms": 100}, "go wtime 5000 btime 4000 winc 100 binc 100"),
        (
            {"seat": 1, "increment_ms": 100, "opponent_increment_ms": 50},
            "go wtime 4000 btime 5000 winc 50 binc 100",
        ),
        ({"seat": 1}, "go wtime 4000 btime 5000 winc 0 binc 0"),
        ({"seat": 0, "moves_to_go": 7}, "go wtime 5000 btime 4000 winc 0 binc 0 movestogo 7"),
    ],
)
def test_the_clocks_go_by_colour(fields: dict[str, int], line: str) -> None:
    assert go_line(request("chess", remaining_ms=5_000, opponent_ms=4_000, **fields), None) == line


def test_a_time_for_one_move_goes_as_movetime() -> None:
    assert go_line(request("chess", remaining_ms=2_000, opponent_ms=2_000), 1_800) == "go movetime 1800"
    assert movetime_ms(request("chess", remaining_ms=2_000, time_control="2/move", budget_s=1.6)) == 1_550
    assert movetime_ms(request("chess", remaining_ms=2_000, time_control="60+0", budget_s=1.0)) is None
    assert movetime_ms(request("chess", remaining_ms=None, budget_s=60.0)) == 1_000


def greeted(options: list[tuple[str, str]], *offers: str) -> UciProtocol:
    protocol = UciProtocol(options)
    for line in (*offers, "uciok"):
        protocol.is_greeted(line)
    return protocol


def test_limits_of_nodes_and_depth_go_with_each_search_and_with_the_clocks_if_there_are_any() -> None:
    protocol = greeted([("nodes", "5000"), ("Depth", "9"), ("hash", "4")], "option name Hash type spin min 1 max 9")
    assert protocol.settings() == ["setoption name Hash value 4"]
    untimed = request("chess", position=FEN, history_position=FEN, remaining_ms=None)
    timed = request("chess", position=FEN, history_position=FEN, seat=0, remaining_ms=5_000, opponent_ms=4_000)
    assert protocol.search(untimed)[1] == "go nodes 5000 depth 9"
    assert protocol.search(timed)[1] == "go wtime 5000 btime 4000 winc 0 binc 0 nodes 5000 depth 9"


def test_chess960_is_switched_on_and_off() -> None:
    chess, chess960 = UCI_GAMES
    begin = ["ucinewgame", "isready"]
    protocol = greeted([], "option name UCI_Chess960 type check default false")
    assert protocol.new_game(chess) == begin
    assert protocol.new_game(chess960) == ["setoption name UCI_Chess960 value true", *begin]
    assert protocol.new_game(chess960) == begin
    assert protocol.new_game(chess) == ["setoption name UCI_Chess960 value false", *begin]
    with pytest.raises(EngineProtocolError, match="does not play Chess960"):
        greeted([]).new_game(chess960)


def test_an_option_of_the_engine_comes_before_a_limit_of_that_name() -> None:
    protocol = greeted([("nodes", "5")], "option name Nodes type spin min 1 max 9")
    assert protocol.settings() == ["setoption name Nodes value 5"]
    assert (
        protocol.search(request("chess", position=FEN, history_position=FEN, remaining_ms=None))[1]
        == "go movetime 1000"
    )


STYLE = "option name Style type combo default Solid var Solid var Very wild"
OWN_BOOK = "option name OwnBook type check default false"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (("Style", "Wild"), "takes Style as one of Solid, Very wild, not 'Wild'"),
        (("OwnBook", "yes"), "takes OwnBook as one of true, false, not 'yes'"),
    ],
)
def test_a_value_that_is_no_choice_of_the_engine_is_refused(asked: tuple[str, str], sentence: str) -> None:
    with pytest.raises(EngineProtocolError, match=sentence):
        greeted([asked], STYLE, OWN_BOOK)
    assert greeted([("style", "very wild"), ("OwnBook", "true")], STYLE, OWN_BOOK).settings() == [
        "setoption name Style value very wild",
        "setoption name OwnBook value true",
    ]


@pytest.mark.parametrize("limit", [("nodes", "0"), ("depth", "many")])
def test_a_limit_that_is_none_is_refused(limit: tuple[str, str]) -> None:
    with pytest.raises(EngineProtocolError, match="as a whole number from 1"):
        greeted([limit])


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("bestmove e2e4 ponder e7e5", "e2e4"),
        ("bestmove e7e8q", "e7e8q"),
        ("bestmove (none)", ""),
        ("bestmove 0000", ""),
        ("bestmove", ""),
        ("info depth 1", None),
        ("", None),
    ],
)
def test_the_best_move_is_read(line: str, move: str | None) -> None:
    assert best_move(line) == move


def test_information_is_gathered_from_the_last_line_on() -> None:
    info = read_info("info multipv 2 depth 9 score cp 700 pv a2a3", UciInfo())
    info = read_info("info string score cp 5", info)
    assert read_info("info depth 3 nodes 9 string depth 99 nodes 1", UciInfo()) == UciInfo(depth=3, nodes=9)
    info = read_info("info depth 9 score cp 99 lowerbound", info)
    info = read_info("info nodes 1000 nps 5", info)
    assert not info.is_complete
    info = read_info("info depth 8 seldepth 12 score cp -15 nodes 900 pv e2e4 e7e5", info)
    assert info.is_complete
    assert info == UciInfo(depth=9, score=-15, nodes=1000, pv=("e2e4", "e7e5"))


def test_the_best_of_many_lines_is_not_crowded_out_by_the_others() -> None:
    protocol = UciProtocol()
    for place in range(1, 21):
        assert protocol.read_reply(f"info depth 9 multipv {place} score cp {50 - place} nodes 7 pv e2e4 e7e5") is None
    reply = protocol.read_reply("bestmove e2e4")
    assert reply is not None
    assert (reply.depth, reply.score, reply.nodes, reply.pv) == (9, 49, 7, ("e2e4", "e7e5"))


@pytest.mark.parametrize(("moves", "score"), [(1, 29_999), (3, 29_995), (-1, -29_998), (-2, -29_996)])
def test_a_mate_in_moves_is_a_score_in_plies(moves: int, score: int) -> None:
    assert read_info(f"info score mate {moves}", UciInfo()).score == score


@pytest.mark.parametrize(
    "line",
    ["info depth", "info depth x", "info score", "info score cp", "info score mate x", "info depth " + "9" * 400],
)
def test_what_cannot_be_read_changes_nothing(line: str) -> None:
    assert read_info(line, UciInfo()) == UciInfo()
