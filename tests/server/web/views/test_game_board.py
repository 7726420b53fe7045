"""Boards asked for by position: what is said of them, in every game."""

from __future__ import annotations

import pytest
from msgspec import convert

from tabiya.games.contract import Game
from tabiya.games.errors import (
    GameError,
    IllegalMove,
    MoveFormatError,
    OptionError,
    PlacingError,
    PositionError,
    SwitchError,
)
from tabiya.games.picture import EMPTY
from tabiya.games.registry import load_game, names
from tabiya.server.web.schemas.board_responses import GameBoard
from tabiya.server.web.schemas.requests import GameBoardQuery
from tabiya.server.web.views.game_board import FIELDS, game_board
from tests.games.playouts import random_positions

every_game = pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())
CHESS, TICTACTOE, NIM = load_game("chess"), load_game("tictactoe"), load_game("nim")
FOOLS_MATE = "f3 e7e5 g4 Qh4#"


def board(game: Game, **query: object) -> GameBoard:
    return game_board(game, convert(query, GameBoardQuery))


@every_game
def test_without_a_position_it_is_the_start_with_all_its_moves(game: Game) -> None:
    shown, start = board(game), game.start()
    assert (shown.start, shown.position, shown.moves, shown.to_move) == (start.text(), start.text(), (), 0)
    assert shown.legal == start.legal_moves()
    assert shown.legal_readable == tuple(game.readable_move(start, move) for move in shown.legal)
    assert (shown.svg, shown.tally, shown.end, shown.problem) == (game.svg(start), game.tally(start), None, None)
    assert [piece.symbol for piece in shown.pieces] == [*game.pieces]


@every_game
def test_moves_lead_where_the_rules_say_and_what_is_over_is_said_to_be(game: Game) -> None:
    for position in random_positions(game, 8, 3):
        shown = board(game, position=position.start_text, moves=" ".join(position.moves))
        assert (shown.position, shown.moves, shown.svg) == (position.text(), position.moves, game.svg(position))
        again = board(game, position=position.start_text, moves=" ".join(shown.readable))
        assert again == shown
        outcome = position.outcome()
        assert (shown.end is None) == (outcome is None)
        if shown.end and outcome:
            assert (shown.end.winner, shown.end.ending) == outcome
            assert shown.legal == ()


def test_moves_are_read_as_people_write_them_and_a_mate_is_told_in_a_sentence() -> None:
    shown = board(CHESS, moves=FOOLS_MATE)
    assert shown.moves == ("f2f3", "e7e5", "g2g4", "d8h4")
    assert shown.readable == ("f3", "e5", "g4", "Qh4#")
    assert board(CHESS, moves="1. f3 e5 2.g4 2... Qh4#") == shown
    assert shown.end is not None
    assert (shown.end.winner, shown.end.sentence) == (1, "Black checkmated White")


def test_the_start_has_the_options_that_are_asked_for() -> None:
    assert board(NIM, options="heaps=1,2 misere=yes").position == "1,2 misere 1"
    assert board(load_game("connect5"), options="columns=7 rows=6").start.startswith("7x6x5 ")


@every_game
def test_a_change_by_hand_ends_the_line_of_moves_and_one_that_changes_nothing_does_not(game: Game) -> None:
    played, piece = game.start().legal_moves()[0], next(iter(game.pieces))
    after = board(game, moves=played, setup=True)
    assert after.moves == (played,)
    place = next(place.name for place in after.places if place.content == EMPTY)
    assert board(game, moves=played, place=place, setup=True) == after
    changed = board(game, moves=played, place=place, piece=piece, setup=True)
    assert (changed.moves, changed.readable, changed.start) == ((), (), changed.position)
    assert {each.name: each.content for each in changed.places}[place] == game.pieces[piece]


@every_game
def test_the_empty_board_is_drawn_with_its_places_and_another_seat_can_be_named(game: Game) -> None:
    shown = board(game, empty=True, mover=1, setup=True)
    assert {place.content for place in shown.places} == {EMPTY}
    assert shown.to_move == 1


def test_a_board_that_is_no_position_says_why_and_has_no_moves() -> None:
    shown = board(CHESS, place="e1")
    assert shown.problem == "each side has exactly one king; White has 0"
    assert (shown.legal, shown.end, shown.start) == ((), None, shown.position)
    assert shown.position.endswith("/RNBQ1BNR w kq - 0 1")
    assert board(CHESS, position=shown.position, place="e1", piece="K").problem is None
    assert "O has as many stones" in str(board(TICTACTOE, empty=True, place="b2", piece="X", mover=0).problem)


def test_a_right_to_castle_is_dropped_and_told() -> None:
    shown = board(CHESS, switch="K")
    assert shown.position.endswith(" w Qkq - 0 1")
    assert [(each.name, each.is_on) for each in shown.switches] == [("K", False), ("Q", True), ("k", True), ("q", True)]


@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        ({"position": "garbage"}, PositionError, "a FEN has 4 to 6 fields"),
        ({"position": "", "moves": "e4"}, PositionError, "a FEN has 4 to 6 fields"),
        ({"position": "8/8/8/8/8/8/8/8 w - - 0 1", "moves": "e4"}, PositionError, "White has 0"),
        ({"moves": "e4 e4"}, IllegalMove, "'e4' is not legal"),
        ({"moves": "e4 ?"}, MoveFormatError, "not a move in algebraic notation"),
        ({"moves": f"{FOOLS_MATE} a3"}, IllegalMove, "'a3' is not legal"),
        ({"place": "j9", "piece": "Q"}, PlacingError, "'j9' is no place of this board"),
        ({"piece": "Q"}, PlacingError, "'' is no place of this board"),
        ({"place": "e4", "piece": "X"}, PlacingError, "'X' is no piece of Chess"),
        ({"switch": "x"}, SwitchError, "it has: K, Q, k, q"),
        ({"options": "columns=9"}, OptionError, "has no option 'columns'"),
    ],
)
def test_what_cannot_be_meant_is_an_error_of_one_field(
    query: dict[str, object], error: type[GameError], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        board(CHESS, **query)
    assert FIELDS[type(caught.value)] in query or "piece" in query
