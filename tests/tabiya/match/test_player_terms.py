"""What a player of a match has for itself alone is taken out of its text, and nothing else is."""

from __future__ import annotations

import pytest

from tabiya.bots.players.spec import PlayerError
from tabiya.match.own_book import BookTerms
from tabiya.match.player_terms import PlayerTerms, terms_of, time_controls
from tabiya.protocol.time_control import TimeControlError


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("pvs:4", PlayerTerms("pvs:4")),
        ("pvs:4?tc=5", PlayerTerms("pvs:4", "5+0")),
        ("pvs:4?margin=30&tc=40/60", PlayerTerms("pvs:4?margin=30", "40/60")),
        ("uci:./a?Hash=64&tc=1+0.1&Skill Level=3", PlayerTerms("uci:./a?Hash=64&Skill Level=3", "1+0.1")),
        ("uci:./a?restart=on", PlayerTerms("uci:./a", restarts=True)),
        ("uci:./a?restart=off&tc=2/move", PlayerTerms("uci:./a", "2/move", restarts=False)),
        ("uci:./a?book=b.bin", PlayerTerms("uci:./a", book=BookTerms("b.bin"))),
        ("xboard:./a?book=b.bin&bookplies=8", PlayerTerms("xboard:./a", book=BookTerms("b.bin", 8))),
        ("uci:./a?b?tc=5+0", PlayerTerms("uci:./a?b?", "5+0")),
        ("uci:./a?Hash=64", PlayerTerms("uci:./a?Hash=64")),
        ("uci:./a?name=new net&Hash=64", PlayerTerms("uci:./a?Hash=64", name="new net")),
        ("uci:./a?book=r%26d.bin&File=a%26b", PlayerTerms("uci:./a?File=a%26b", book=BookTerms("r&d.bin"))),
        ("pvs:4?name=base", PlayerTerms("pvs:4", name="base")),
    ],
)
def test_its_own_terms_are_taken_out_of_a_players_text(text: str, terms: PlayerTerms) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("uci:./a?restart=yes", "restart is on or off, not 'yes'"),
        ("pvs:4?restart=on", "restart is for programs by a protocol of engines"),
        ("pvs:4?book=b.bin", "book is for programs by a protocol of engines"),
        ("uci:./a?bookplies=8", "book names a file in Polyglot's format"),
        ("uci:./a?book=b.bin&bookplies=0", "bookplies is a whole number from 1 to 1000, not '0'"),
        ("uci:./a?book=b.bin&bookplies=00001000000", "not '00001000000'"),
        ("greedy?name=", "a name has 1 to 40 characters, not 0"),
        ("greedy?tc=soon", "time control 'soon' was not understood"),
    ],
)
def test_terms_that_cannot_be_are_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises((PlayerError, TimeControlError), match=sentence):
        terms_of(text)


def test_a_match_has_one_time_control_or_one_for_each_player() -> None:
    usual, less = PlayerTerms("greedy"), PlayerTerms("greedy", "5+0")
    assert time_controls((usual, usual), "10") == "10+0"
    assert time_controls((usual, less), "10+0") == "10+0,5+0"
    assert time_controls((less, less), "10+0") == "5+0"
    with pytest.raises(TimeControlError, match="to one player only"):
        time_controls((usual, less), "none")
