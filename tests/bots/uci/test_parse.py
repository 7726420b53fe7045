"""What lines ask for, options, and what is said of a search: no process, no search."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabiya.bots.search.limits import Line, SearchResult
from tabiya.bots.search.scores import MATE, WON
from tabiya.bots.uci.options import HASH, Option, Settings
from tabiya.bots.uci.output import best_line, info_lines, score_text
from tabiya.bots.uci.parse import GoCommand, PositionCommand, parse_go, parse_position, parse_setoption


@pytest.mark.parametrize(
    ("line", "go"),
    [
        ("", GoCommand()),
        ("depth 7", GoCommand(depth=7)),
        ("nodes 5000 infinite", GoCommand(nodes=5000, infinite=True)),
        ("movetime 250", GoCommand(movetime_ms=250)),
        (
            "wtime 60000 btime -50 winc 600 binc -1 movestogo 40",
            GoCommand(clocks_ms=(60_000, -50), increments_ms=(600, 0), moves_to_go=40),
        ),
        ("ponder wtime 1000 btime 2000", GoCommand(ponder=True, clocks_ms=(1000, 2000))),
        ("searchmoves e2e4 d2d4 depth 3", GoCommand(moves=("e2e4", "d2d4"), depth=3)),
        ("mate 3", GoCommand(mate=3)),
        ("perft 4", GoCommand(perft=4)),
        ("depth seven nodes 9 movestogo 0", GoCommand(nodes=9, moves_to_go=1, unknown=("depth", "seven"))),
        ("depth 99999999999999999999", GoCommand(unknown=("depth", "99999999999999999999"))),
        ("foo depth 1 dpeth 5 searchmoves zz", GoCommand(depth=1, moves=("zz",), unknown=("foo", "dpeth", "5"))),
        ("movetime infinite depth", GoCommand(infinite=True, unknown=("movetime", "depth"))),
        ("perft abc", GoCommand(unknown=("perft", "abc"))),
        ("ponder on", GoCommand(ponder=True, unknown=("on",))),
    ],
)
def test_a_go_is_read(line: str, go: GoCommand) -> None:
    assert parse_go(line.split()) == go


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("startpos", PositionCommand(None, ())),
        ("startpos moves e2e4 e7e5", PositionCommand(None, ("e2e4", "e7e5"))),
        ("fen 8/8/8/8/8/8/8/8 w - - 0 1 moves a2a3", PositionCommand("8/8/8/8/8/8/8/8 w - - 0 1", ("a2a3",))),
        ("startpos move e2e4", None),
        ("startpos now moves e2e4", None),
        ("fen x", PositionCommand("x", ())),
        ("fen", None),
        ("fen moves e2e4", None),
        ("somewhere", None),
        ("", None),
    ],
)
def test_a_position_is_read(line: str, place: PositionCommand | None) -> None:
    assert parse_position(line.split()) == place


KNOWN = ("depth", "nodes", "searchmoves", "ponder", "-7", "5", "fen", "moves", "name")


@settings(max_examples=30)
@given(st.lists(st.one_of(st.sampled_from(KNOWN), st.text())))
def test_no_words_make_reading_fail(words: list[str]) -> None:
    parse_go(words)
    parse_position(words)
    parse_setoption(words)


def test_names_and_values_of_options_may_have_spaces() -> None:
    assert parse_setoption(["name", "Clear", "Hash"]) == ("Clear Hash", "")
    assert parse_setoption(["name", "Move", "Overhead", "value", "30"]) == ("Move Overhead", "30")
    assert parse_setoption([]) == ("", "")


def test_an_option_is_offered_with_its_bounds_and_choices() -> None:
    assert HASH.line == "option name Hash type spin default 16 min 1 max 65536"
    assert Option("Ponder", "check", False).line == "option name Ponder type check default false"
    assert Option("Level", "combo", "a b", choices=("a b", "c")).line == (
        "option name Level type combo default a b var a b var c"
    )


def test_a_number_out_of_bounds_is_brought_into_them_and_no_number_is_refused() -> None:
    options = Settings((HASH,))
    options.set("hash", "0")
    assert options.number(HASH) == 1
    with pytest.raises(ValueError, match="Hash takes a number from 1 to 65536, not 'big'"):
        options.set("Hash", "big")
    with pytest.raises(ValueError, match="no option 'Hush'"):
        options.set("Hush", "3")
    assert options.number(HASH) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-37, "cp -37"),
        (int(MATE) - 1, "mate 1"),
        (int(MATE) - 3, "mate 2"),
        (2 - int(MATE), "mate -1"),
        (-int(MATE), "mate 0"),
        (1 - int(MATE), "mate -1"),
        (3 - int(MATE), "mate -2"),
        (int(MATE), "mate 1"),
        (int(WON) + 12, "cp 1200"),
        (-int(WON) - 1, "cp -100"),
    ],
)
def test_a_score_is_hundredths_or_moves_to_mate(value: int, text: str) -> None:
    assert score_text(value) == text


def test_each_line_that_was_found_is_reported() -> None:
    lines = (Line(31, ("e2e4", "e7e5")), Line(20, ("d2d4",)))
    found = SearchResult("e2e4", 31, 5, 1_000, lines[0].pv, 0.5, False, 9, lines)
    assert list(info_lines(found, 0.25)) == [
        "info depth 5 seldepth 9 multipv 1 score cp 31 nodes 1000 nps 2000 hashfull 250 time 500 pv e2e4 e7e5",
        "info depth 5 seldepth 9 multipv 2 score cp 20 nodes 1000 nps 2000 hashfull 250 time 500 pv d2d4",
    ]
    assert best_line(found) == "bestmove e2e4 ponder e7e5"
    assert best_line(found._replace(pv=("e2e4",))) == "bestmove e2e4"
