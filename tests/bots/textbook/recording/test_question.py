"""A question as a link says it: what is refused, what is filled in, and that it is searched as asked."""

from __future__ import annotations

from typing import Any

import pytest

from tabiya.bots.textbook.catalogue import UnknownListing
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.recording.question import QuestionError, SearchQuestion, names_of
from tabiya.bots.textbook.tree import TreeError
from tabiya.games.errors import GameError

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, QuestionError, "give one of game and tree"),
        ({"tree": "001", "game": "nim"}, QuestionError, "give one of game and tree"),
        ({"tree": "005"}, TreeError, "or one of 000, 001"),
        ({"tree": "[[1,2],[3,"}, TreeError, "nested lists of whole numbers"),
        ({"tree": "001", "algorithm": "alpha"}, UnknownListing, "no algorithm 'alpha'"),
        ({"tree": "001", "algorithm": "preclusion"}, TreeError, "every leaf must be -1, 0 or 1"),
        ({"tree": "001", "alpha": 3, "beta": 3}, QuestionError, "alpha below beta"),
        ({"tree": "001", "order": "best"}, QuestionError, "an order is one of"),
        ({"tree": "001", "depth": 61}, TreeError, "at most 60 plies"),
        ({"game": "nim", "order": "perfect"}, QuestionError, "for drawn trees only"),
        ({"game": "nim", "depth": 65}, QuestionError, "at most 64 plies"),
        ({"game": "nim", "sort_top": 2, "heap": True}, QuestionError, "a sorting takes"),
        ({"game": "go"}, GameError, "there is no game 'go'"),
        ({"game": "chess", "position": "8/8"}, GameError, "FEN"),
        ({"game": "chess", "position": MATED}, QuestionError, "the game is over"),
        ({"game": "chess", "moves": "e4 e4"}, GameError, "e4"),
    ],
)
def test_a_question_that_cannot_be_searched_gives_one_sentence(
    given: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        SearchQuestion(**given).checked()


def test_what_is_left_open_is_filled_in_and_checking_twice_changes_nothing() -> None:
    question = SearchQuestion(tree="001", algorithm="pvs-failhard").checked()
    assert (question.algorithm, question.depth) == ("001-alphabetapvs-checked", 2)
    assert question.checked() == question
    game = SearchQuestion(game="reversi", algorithm="preclusion", depth=2).checked()
    assert (game.wins, game.checked()) == ("one", game)


def test_a_position_can_be_given_by_moves_as_people_write_them() -> None:
    question = SearchQuestion(game="chess", moves="e4 e5 Nf3", depth=1, algorithm="minimax").checked()
    recording, report = question.recorded()
    assert question.position_searched().text().startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq")
    assert (len(recording), report.leaves) == (30, 29)


def test_all_switches_reach_the_search() -> None:
    plain = SearchQuestion(game="chess", position="4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1", depth=1, evaluation="material")
    assert plain.checked().recorded()[1].value == 800
    assert SearchQuestion(**plain.given(), quiescence=True).checked().recorded()[1].value == 700
    assert SearchQuestion(**plain.given(), grain=1000).checked().recorded()[1].value == 0
    assert SearchQuestion(**plain.given(), beta=100).checked().recorded()[1].cuts == 1
    assert SearchQuestion(**plain.given(), order="captures").checked().recorded()[1].line == ("d1d5",)
    deep = SearchQuestion(game="tictactoe", depth=3)
    assert SearchQuestion(**deep.given(), iterate=True).checked().recorded()[1].nodes > deep.recorded()[1].nodes


def test_a_search_that_is_too_big_ends() -> None:
    with pytest.raises(TooBig, match="more than 500 nodes"):
        SearchQuestion(game="reversi", depth=8, algorithm="minimax").checked().recorded(limit=500)


def test_a_link_says_only_what_is_not_usual() -> None:
    assert SearchQuestion(tree="001", depth=2).given() == {"tree": "001", "depth": 2}
    assert SearchQuestion(**SearchQuestion(tree="002", alpha=-3).given()) == SearchQuestion(tree="002", alpha=-3)


def test_two_searches_are_called_by_what_tells_them_apart() -> None:
    one = SearchQuestion(tree="001", algorithm="minimax")
    assert names_of(one, SearchQuestion(tree="001", algorithm="pvs-failhard")) == ("minimax", "pvs-failhard")
    ordered = SearchQuestion(tree="001", algorithm="minimax", order="perfect", sort_top=2)
    assert names_of(one, ordered) == ("order none, sort top 0", "order perfect, sort top 2")
    assert names_of(one, one) == ("minimax", "minimax")
