"""Boards set up by hand, for every registered game: piece by piece, through texts that are no positions."""

from __future__ import annotations

import random

import pytest

from tabiya.check_game.checks import mutated, picture_faults
from tabiya.games.contract import Game
from tabiya.games.errors import PlacingError, PositionError, SwitchError
from tabiya.games.picture import EMPTY
from tabiya.games.registry import load_game, names
from tests.games.playouts import random_positions
from tests.games.test_contract import assert_one_sentence

SEED = 5
every_game = pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())


def standing(game: Game, text: str) -> dict[str, str]:
    """The symbol on each place."""
    symbols = {name: symbol for symbol, name in game.pieces.items()} | {EMPTY: EMPTY}
    return {place.name: symbols[place.content] for place in game.places(game.setup(text))}


@every_game
def test_placing_what_stands_there_and_naming_who_is_to_move_change_nothing(game: Game) -> None:
    draw = random.Random(SEED)
    for position in random_positions(game, 10, SEED):
        text = position.text()
        pieces = standing(game, text)
        for place in draw.sample(sorted(pieces), min(9, len(pieces))):
            assert game.placed(text, place, pieces[place]) == text
        assert game.with_mover(text, position.to_move) == text


@pytest.mark.slow
@every_game
def test_every_position_is_rebuilt_from_the_empty_board_piece_by_piece(game: Game) -> None:
    draw = random.Random(SEED)
    for position in random_positions(game, 5, SEED):
        wanted = standing(game, position.text())
        text = game.with_mover(game.emptied(position.text()), 1 - position.to_move)
        assert set(standing(game, text).values()) == {EMPTY}
        for _ in wanted:
            stands = standing(game, text)
            if wrong := sorted(place for place in stands if stands[place] != wanted.get(place, EMPTY)):
                place = draw.choice(wrong)
                text = game.placed(text, place, wanted[place])
                assert standing(game, text)[place] == wanted[place]
        assert picture_faults(game.svg(game.setup(text))) == []
        assert all(words.isprintable() for words in game.tally(game.setup(text)))
        rebuilt = game.parse(game.with_mover(text, position.to_move))
        assert standing(game, rebuilt.text()) == wanted
        assert rebuilt.to_move == position.to_move


@every_game
def test_the_other_seat_is_to_move_after_it_was_named(game: Game) -> None:
    for position in random_positions(game, 10, SEED):
        text = game.with_mover(position.text(), 1 - position.to_move)
        assert game.setup(text).to_move == 1 - position.to_move
        assert standing(game, text) == standing(game, position.text())


@every_game
def test_a_place_or_a_piece_that_is_none_is_one_clear_error(game: Game) -> None:
    text, piece = game.start().text(), next(iter(game.pieces))
    place = next(iter(standing(game, text)))
    for wrong in ("", "a0", "z99", "A1", "a1 ", "é", "a1a2", "x" * 10**5):
        with pytest.raises(PlacingError, match="is no place of this board") as caught:
            game.placed(text, wrong, piece)
        assert_one_sentence(caught.value)
    for wrong in ("", "?", piece + piece, "Empty", "x" * 10**5):
        with pytest.raises(PlacingError, match=f"is no piece of {game.title}") as caught:
            game.placed(text, place, wrong)
        assert_one_sentence(caught.value)


@every_game
def test_a_board_is_whatever_text_is_a_position_and_no_other_text_stops_the_drawing(game: Game) -> None:
    draw = random.Random(SEED)
    texts = [position.text() for position in random_positions(game, 20, SEED)]
    for text in [*texts, *(mutated(draw.choice(texts), draw) for _ in range(300)), "1" * 10**6]:
        try:
            board = game.setup(text)
        except PositionError as error:
            assert_one_sentence(error)
            with pytest.raises(PositionError):
                game.parse(text)
        else:
            assert picture_faults(game.svg(board)) == []


@every_game
def test_every_piece_has_a_picture_of_its_own(game: Game) -> None:
    pictures = [game.piece_svg(piece) for piece in game.pieces]
    assert len(set(pictures)) == len(pictures) >= 1
    assert all(picture_faults(picture) == [] for picture in pictures)


def test_heaps_grow_and_shrink_by_whole_rows_and_a_heap_is_added_behind_the_last() -> None:
    nim = load_game("nim")
    assert nim.placed("3,5,7 misere 2", "b2", EMPTY) == "3,1,7 misere 2"
    assert nim.placed("3,5,7 misere 2", "b7", "o") == "3,7,7 misere 2"
    assert nim.placed("3,5,7 misere 2", "d4", "o") == "3,5,7,4 misere 2"
    assert nim.placed("3,5,7 misere 2", "b1", EMPTY) == "3,7 misere 2"
    assert nim.placed("3 normal 1", "a1", EMPTY) == "0 normal 1"
    full = ",".join(["63"] * 26) + " normal 1"
    assert len(standing(nim, full)) == 63 * 26
    assert nim.emptied(full) == ",".join("0" * 26) + " normal 1"


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def test_castling_rights_follow_king_and_rooks_and_nothing_is_left_to_take_en_passant() -> None:
    chess = load_game("chess")
    without = chess.placed(START, "h1", EMPTY)
    assert without.split(" ", 1)[1] == "w Qkq - 0 1"
    assert chess.placed(without, "e4", "P").split(" ", 1)[1] == "w Qkq - 0 1"
    assert chess.placed(without, "h1", "R") == START
    assert chess.placed(START, "e8", EMPTY).split(" ", 1)[1] == "w KQ - 0 1"
    passed = "4k3/8/8/3pP3/8/8/8/R3K3 w - d6 3 9"  # whose king has moved
    assert chess.placed(passed, "h8", "q") == "4k2q/8/8/3pP3/8/8/8/R3K3 w - - 0 9"
    assert chess.with_mover(passed, 1) == "4k3/8/8/3pP3/8/8/8/R3K3 b - - 3 9"
    assert chess.placed("8/8/8/8/8/8/8/8 w KQxy e9 0 1", "a1", "K") == "8/8/8/8/8/8/8/K7 w - - 0 1"


@every_game
def test_a_switch_is_turned_and_turned_back_and_nothing_else_changes(game: Game) -> None:
    for position in random_positions(game, 10, SEED):
        text = position.text()
        for switch in game.switches(game.setup(text)):
            turned = game.switched(text, switch.name)
            (now,) = (each for each in game.switches(game.setup(turned)) if each.name == switch.name)
            assert (now.title, now.is_on) == (switch.title, not switch.is_on)
            assert standing(game, turned) == standing(game, text)
            assert game.switched(turned, switch.name) == text
            game.parse(turned)
        with pytest.raises(SwitchError, match="is no switch of this board") as caught:
            game.switched(text, "x" * 10**5)
        assert_one_sentence(caught.value)


def test_castling_can_be_turned_where_king_and_rook_are_at_home() -> None:
    chess = load_game("chess")
    assert chess.switched(START, "K").split(" ", 1)[1] == "w Qkq - 0 1"
    assert chess.switched("4k3/8/8/8/8/8/8/4K2R w - - 3 9", "K") == "4k3/8/8/8/8/8/8/4K2R w K - 3 9"
    with pytest.raises(SwitchError, match=r"'Q' is no switch of this board \(it has: K\)"):
        chess.switched("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "Q")
    assert load_game("nim").switched("3,5 normal 2", "misere") == "3,5 misere 2"


def test_the_rules_say_what_an_unfinished_board_lacks() -> None:
    chess = load_game("chess")
    with pytest.raises(PositionError, match="exactly one king; White has 0"):
        chess.parse(chess.placed(START, "e1", EMPTY))
