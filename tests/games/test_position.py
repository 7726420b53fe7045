import pickle
from typing import Any

import pytest

from tabiya.games.contract import Game
from tabiya.games.errors import IllegalMove, MoveFormatError
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names


def test_positions_are_made_by_games_only() -> None:
    with pytest.raises(TypeError, match=r"game\.start\(\), game\.parse\(text\) and position\.play\(move\)"):
        Position()


def test_playing_leaves_the_position_as_it_was() -> None:
    start = load_game("reversi").start()
    before = (start.text(), start.legal_moves(), start.moves, start.state.tobytes())
    children = [start.play(move) for move in start.legal_moves()]
    assert len({child.text() for child in children}) == 4
    assert (start.text(), start.legal_moves(), start.moves, start.state.tobytes()) == before


def test_a_chain_knows_its_start_its_moves_and_its_ply() -> None:
    start = load_game("reversi").start()
    position = start.play("d3").play("c5")
    assert (position.start_text, position.moves, position.ply) == (start.text(), ("d3", "c5"), 2)
    assert (position.last_move, start.last_move) == ("c5", None)
    assert (start.to_move, start.play("d3").to_move, position.to_move) == (0, 1, 0)


def test_a_parsed_position_begins_a_chain_of_its_own() -> None:
    game = load_game("nim")
    position = game.parse("1,2 misere 2").play("b1")
    assert (position.start_text, position.ply, position.to_move) == ("1,2 misere 2", 1, 0)


def test_a_move_inside_the_list_of_moves_is_not_found_across_two_of_them() -> None:
    start = load_game("nim").start()
    for text in ("a1 a2", "1 a2", "a1 ", " a1"):
        with pytest.raises(ValueError, match="is not a move in the notation of Nim"):
            start.play(text)


@pytest.mark.parametrize("given", [0, ("a1", "b1"), None])
def test_what_is_no_text_is_no_move(given: Any) -> None:
    with pytest.raises(MoveFormatError, match=r"^a move is a text \(column letter.*, one of legal_moves\(\), not "):
        load_game("tictactoe").start().play(given)


def test_an_illegal_move_is_refused_with_the_first_legal_ones() -> None:
    position = load_game("connect5").start().play("h8")
    with pytest.raises(IllegalMove) as caught:
        position.play("h8")
    assert str(caught.value).startswith("'h8' is not legal in 15x15x5 ---")
    assert str(caught.value).endswith("(legal: a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, l1, …)")


def test_after_the_end_no_move_is_legal() -> None:
    over = load_game("nim").parse("1 normal 1").play("a1")
    with pytest.raises(IllegalMove, match=r"legal: nothing, the game is over"):
        over.play("a1")


def test_history_begins_after_the_last_irreversible_move() -> None:
    position = load_game("reversi").start().play("d3")
    assert position.history() == (position.text(), ())
    chess = load_game("chess").start().play("e2e4").play("g8f6").play("b1c3")
    assert chess.history().moves == ("g8f6", "b1c3")
    assert chess.history().text == load_game("chess").start().play("e2e4").text()


@pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())
def test_a_position_travels_to_another_process(game: Game) -> None:
    start = game.start()
    position = start.play(start.legal_moves()[-1])
    again = pickle.loads(pickle.dumps(position))
    assert again.game is game
    assert (again.text(), again.moves, again.legal_moves()) == (position.text(), position.moves, position.legal_moves())
    move = again.legal_moves()[0]
    assert again.play(move).text() == position.play(move).text()


@pytest.mark.parametrize("name", names())
def test_a_notebook_shows_a_position_as_pages_do(name: str) -> None:
    game = load_game(name)
    position = game.start()
    position = position.play(position.legal_moves()[0])
    assert position._repr_svg_() == game.svg(position)


def test_a_notebook_shows_the_moves_of_a_game_below_its_last_position() -> None:
    game = load_game("chess")
    position = game.start().play("g1f3").play("g8f6").play("f3g1")
    assert position._repr_html_() == f"{game.svg(position)}<p>1. Nf3 Nf6 2. Ng1 </p>"
