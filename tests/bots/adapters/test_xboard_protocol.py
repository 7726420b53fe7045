"""What is said to an xboard engine and understood of it, line by line, without a program."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tabiya.bots.adapters.engine_options import OfferedOption
from tabiya.bots.adapters.engine_protocol import EngineProtocolError
from tabiya.bots.adapters.xboard_protocol import LONGEST_START_S, XboardProtocol
from tabiya.bots.adapters.xboard_text import START, edit_lines, offered_option, read_features, time_control_line
from tabiya.bots.players.api import MoveReply
from tabiya.games.registry import load_game
from tests.bots.requests import request, request_at

CHESS, CHESS960 = load_game("chess"), load_game("chess960")
AFTER = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


def introduced(
    features: str = "ping=1 setboard=1 usermove=1 done=1",
    options: Sequence[tuple[str, str]] = (),
    game: str = "chess",
) -> XboardProtocol:
    protocol = XboardProtocol(options)
    assert protocol.is_greeted(f"feature {features}")
    protocol.new_game(game)
    return protocol


def replies(protocol: XboardProtocol, *lines: str) -> list[MoveReply]:
    return [reply for line in lines if (reply := protocol.read_reply(line)) is not None]


def test_the_start_that_is_known_here_is_the_start_of_the_game() -> None:
    assert CHESS.start().text() == START


def test_features_are_read_with_their_quotes() -> None:
    assert read_features('feature myname="Fairy Max 5" ping=1 option="Hash -spin 4 1 9" done=0') == [
        ("myname", "Fairy Max 5"),
        ("ping", "1"),
        ("option", "Hash -spin 4 1 9"),
        ("done", "0"),
    ]
    assert read_features("tellics say feature ping=1") == []


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Resign Threshold -spin 800 200 1200", OfferedOption("Resign Threshold", (200, 1200))),
        ("Info -button", OfferedOption("Info")),
        ("Style -combo a /// *b c", OfferedOption("Style", choices=("a", "b c"))),
        ("without kind", OfferedOption("without kind")),
    ],
)
def test_options_are_read_with_their_bounds(text: str, option: OfferedOption) -> None:
    assert offered_option(text) == option


@pytest.mark.parametrize(
    ("control", "line"),
    [
        ("300+0", "level 0 5:00 0"),
        ("40/125+0.5", "level 40 2:05 0.5"),
        ("0.5+0.1", "level 0 0:01 0.1"),
        ("5/move", "st 4"),
    ],
)
def test_time_controls_are_sent_in_whole_seconds(control: str, line: str) -> None:
    asked = request("chess", time_control=control, remaining_ms=5_000, budget_s=5.0)
    assert time_control_line(asked, 0.05) == line


def test_a_time_for_a_move_is_a_second_at_least() -> None:
    asked = request("chess", time_control="0.1/move", remaining_ms=100, budget_s=0.1)
    assert time_control_line(asked, 0.05) == "st 1"


def test_without_clocks_a_move_has_a_second() -> None:
    assert introduced().search(request("chess")) == ["st 1", "go"]


def test_a_position_goes_by_setboard_with_its_moves() -> None:
    later = CHESS.parse(AFTER).play("g1f3").play("b8c6")
    assert introduced().search(request_at(later))[1:] == [
        f"setboard {AFTER}",
        "usermove g1f3",
        "usermove b8c6",
        "go",
    ]


def test_an_engine_without_setboard_is_given_the_men_and_for_black_a_move_before() -> None:
    position = CHESS.parse("4k3/8/8/8/8/8/7p/R3K2R b KQ - 0 1")
    men = ["edit", "#", "Ra1", "Ke1", "Rh1", "c", "Ke8", "Ph2", "."]
    assert introduced("done=1").search(request_at(position))[1:] == ["a2a3", *men, "go"]
    assert edit_lines(position.text()) == men


def test_a_refused_answer_is_asked_for_with_the_whole_position() -> None:
    protocol = introduced(options=(("sd", "3"),))
    asked = request_at(CHESS.start())
    protocol.search(asked)
    assert replies(protocol, "move e2e5") == [MoveReply(move="e2e5", pv=("e2e5",))]
    assert protocol.search(asked) == ["new", "sd 3", "force", "st 1", "go"]


def test_a_move_that_the_engine_takes_for_illegal_is_an_answer_without_a_move() -> None:
    protocol = introduced()
    protocol.search(request_at(CHESS.start()))
    replies(protocol, "move e2e4")
    protocol.search(request_at(CHESS.start().play("e2e4").play("e7e5")))
    assert replies(protocol, "Error (unknown command): otim", "Illegal move: e7e5") == [
        MoveReply(move="", text="Illegal move: e7e5")
    ]


@pytest.mark.parametrize(
    ("position", "text", "move"),
    [
        (START, "move e2e4", "e2e4"),
        (START, "My move is : e2e4", "e2e4"),
        (START, "move Nf3", "g1f3"),
        (START, "move knight", "knight"),
        ("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1", "move a7a8Q", "a7a8q"),
        ("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1", "move a7a8=Q", "a7a8q"),
        ("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1", "move O-O-O", "e1c1"),
    ],
)
def test_moves_are_read_however_they_are_written(position: str, text: str, move: str) -> None:
    protocol = introduced()
    protocol.search(request_at(CHESS.parse(position)))
    assert [reply.move for reply in replies(protocol, "1. ... nothing", text)] == [move]


@pytest.mark.parametrize(("score", "ours"), [("-45", -45), ("+45", 45), ("100003", 29_995), ("-100002", -29_996)])
def test_what_it_thinks_goes_with_the_move(score: str, ours: int) -> None:
    protocol = introduced()
    protocol.search(request("chess"))
    [reply] = replies(protocol, "3 9 1 44 e4", f"12. {score} 101 54321 Nf3 d5", "# 13 5 5 5", "move e2e4")
    assert (reply.depth, reply.score, reply.nodes) == (12, ours, 54_321)


def test_offers_words_and_resignations_are_understood() -> None:
    protocol = introduced()
    assert "draw" in protocol.search(request("chess", draw_offered=True))
    [accepted] = replies(protocol, "tellopponent well played", "offer draw", "move e2e4")
    assert (accepted.accept_draw, accepted.offer_draw, accepted.text) == (True, False, "well played")
    protocol.search(request("chess"))
    [offered] = replies(protocol, "offer draw", "move e2e4")
    assert (offered.accept_draw, offered.offer_draw) == (False, True)
    for words in ("resign", "0-1 {White resigns}"):
        protocol.search(request("chess"))
        assert replies(protocol, "1/2-1/2 {Draw}", "1-0 {I win}", words) == [MoveReply(move="", resign=True)]


def test_silence_ends_an_introduction_but_for_programs_that_ask_for_time_or_are_none() -> None:
    without_end = XboardProtocol()
    without_end.is_greeted("feature setboard=1 myname=X")
    assert without_end.more_time_s() == 0
    assert (without_end.name, without_end.says_ready, without_end.new_game("chess")) == ("X", False, ["new", "force"])
    slow = XboardProtocol()
    slow.is_greeted("feature done=0")
    assert slow.more_time_s() == LONGEST_START_S
    assert XboardProtocol().more_time_s() is None


def test_an_engine_gets_hard_or_easy_and_ends_pondering_with_the_game() -> None:
    idle, pondering = introduced(), introduced(options=(("ponder", "true"),))
    assert ("easy" in idle.settings(), "hard" in idle.settings(), idle.game_over()) == (True, False, [])
    assert ("easy" in pondering.settings(), "hard" in pondering.settings()) == (False, True)
    assert pondering.game_over() == ["force"]


VARIANTS = 'ping=1 setboard=1 usermove=1 variants="normal,fischerandom" done=1'
CASTLES = CHESS960.parse("rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w KQkq - 0 1")


def test_chess960_is_a_variant_in_which_castling_has_words() -> None:
    protocol = introduced(VARIANTS, game="chess960")
    assert protocol.new_game("chess960") == ["new", "variant fischerandom", "force", "ping 2"]
    after = CASTLES.play("b1e1")
    assert protocol.search(request_at(after))[1:] == [f"setboard {CASTLES.text()}", "usermove O-O", "go"]
    assert [reply.move for reply in replies(protocol, "move O-O-O")] == ["b8a8"]
    after = after.play("b8a8").play("g1h1")
    assert protocol.search(request_at(after)) == ["usermove g1h1"]
    replies(protocol, "move c8b8")
    assert protocol.search(request_at(after.play("c8b8").play("e2e4"))) == ["usermove e2e4"]
    assert protocol.new_game("chess") == ["new", "force", "ping 3"]


@pytest.mark.parametrize("complaint", ["Illegal move: O-O", "Error (unknown command): O-O"])
def test_an_engine_that_does_not_know_the_words_is_given_king_and_rook(complaint: str) -> None:
    protocol = introduced(VARIANTS, game="chess960")
    protocol.search(request_at(CASTLES.play("e2e4").play("e7e5")))
    replies(protocol, "move b1c1")
    asked = request_at(CASTLES.play("e2e4").play("e7e5").play("b1c1").play("b8e8"))
    assert protocol.search(asked) == ["usermove O-O"]
    assert replies(protocol, complaint) == [MoveReply(move="", text=complaint)]
    assert protocol.search(asked)[-3:] == ["usermove b1c1", "usermove b8e8", "go"]


@pytest.mark.parametrize("features", ['setboard=1 variants="normal" done=1', 'variants="fischerandom" done=1'])
def test_an_engine_without_the_variant_or_setboard_does_not_play_chess960(features: str) -> None:
    with pytest.raises(EngineProtocolError, match="lack the variant fischerandom, or setboard"):
        introduced(features, game="chess960")


def test_a_missing_option_is_reported_before_any_game() -> None:
    with pytest.raises(
        EngineProtocolError, match=r"has no option 'Hash'; did you mean 'Hush'\? \(it has: sd, Hush, cores\)"
    ):
        introduced('option="Hush -check 0" smp=1 done=1', (("Hash", "1"),))
