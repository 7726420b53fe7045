"""Pictures of positions: documents that any page may show, for every registered game."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree

import pytest

from tabiya.check_game.checks import SVG, picture_faults
from tabiya.games.chess.picture import OUTLINES
from tabiya.games.contract import Game
from tabiya.games.mnk.picture import winning_line
from tabiya.games.picture import text_picture
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names


def random_game(game: Game, seed: int) -> list[Position]:
    """Every position of a random game of at most 80 plies."""
    chance, positions = random.Random(seed), [game.start()]
    while positions[-1].outcome() is None and len(positions) < 80:
        positions.append(positions[-1].play(chance.choice(positions[-1].legal_moves())))
    return positions


@pytest.mark.parametrize("name", names())
def test_every_position_of_a_game_has_a_picture_that_strict_pages_show(name: str) -> None:
    game = load_game(name)
    positions = random_game(game, seed=len(name))
    assert len({game.svg(position) for position in positions}) == len(positions)
    for position in positions:
        assert picture_faults(game.svg(position)) == []


@pytest.mark.parametrize("name", names())
def test_the_picture_of_the_largest_board_of_a_game_is_below_200_kb(name: str) -> None:
    game = load_game(name)
    largest: dict[str, object] = {option.name: option.high for option in game.options if option.high}
    heaps: dict[str, object] = {
        option.name: ",".join(["63"] * 26) for option in game.options if isinstance(option.default, str)
    }
    assert len(game.svg(game.start(largest | heaps))) < 200_000


def test_a_game_without_a_picture_of_its_own_shows_its_drawing() -> None:
    svg = text_picture("A <game>", "1 X .\n2 . O")
    assert picture_faults(svg) == []
    assert [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")] == [
        "1\N{NO-BREAK SPACE}X\N{NO-BREAK SPACE}.",
        "2\N{NO-BREAK SPACE}.\N{NO-BREAK SPACE}O",
    ]


def test_a_script_a_style_and_a_foreign_link_are_found() -> None:
    head = '<svg xmlns="http://www.w3.org/2000/svg"><title>x</title>'
    assert picture_faults(f"{head}<script/></svg>") == ["the element script"]
    assert picture_faults(f'{head}<rect style="x"/></svg>') == ["a style, a script or an address"]
    assert picture_faults(f'{head}<use href="http://example.org/x"/></svg>') == ["a link to http://example.org/x"]


def test_the_winning_line_is_found_from_end_to_end() -> None:
    stones = {(0, 0): "X", (1, 1): "X", (2, 2): "X", (1, 0): "O", (2, 0): "O"}
    assert winning_line(stones, 3) == [(0, 0), (1, 1), (2, 2)]
    assert winning_line(stones, 4) == []


def test_the_chess_picture_names_every_man_and_marks_check() -> None:
    game = load_game("chess")
    position = game.start()
    for move in ("e2e4", "f7f6", "d1h5"):
        position = position.play(move)
    svg = game.svg(position)
    assert "Black to move" in svg
    assert "k e8" in svg
    assert svg.count("<use") == 32
    assert svg.count('fill="#d9402f"') == 1
    assert len(OUTLINES) == 6


def test_the_heaps_of_nim_keep_their_places_and_show_what_was_taken() -> None:
    game = load_game("nim")
    position = game.start({"heaps": "3,5,7", "misere": True}).play("b2").play("a3")
    svg = game.svg(position)
    assert svg.count("<circle") == 15
    assert "heaps of 0, 3, 7" in svg
    assert "who takes the last one loses" in svg


def pointed_out(move: str, names: set[str]) -> bool:
    """Whether a move is one place or two, and nothing or a letter after them."""
    return any(
        move in (one, one + two) or (move[:-1] == one + two and move[-1].isalpha())
        for one in names
        if move.startswith(one)
        for two in names
    )


@pytest.mark.parametrize("name", names())
def test_every_move_but_a_pass_can_be_made_by_pointing_at_places_of_the_picture(name: str) -> None:
    game = load_game(name)
    for position in random_game(game, seed=len(name)):
        places = game.places(position)
        named = {place.name for place in places}
        assert len(named) == len(places)
        rest = [move for move in position.legal_moves() if not pointed_out(move, named)]
        assert rest in ([], ["pass"])
        width, height = map(float, ElementTree.fromstring(game.svg(position)).attrib["viewBox"].split()[2:])
        assert all(0 < place.x <= width - place.width for place in places)
        assert all(0 < place.y <= height - place.height for place in places)
        corners = {(place.x, place.y) for place in places}
        assert len(corners) == len(places)


STANDS = {
    "nim": ("", {"a3": "takes 3 of 3", "a1": "takes 1 of 3"}),
    "tictactoe": ("b2 a3", {"b2": "cross", "a3": "ring", "c1": "empty"}),
    "connect5": ("c2 d9", {"c2": "cross", "d9": "ring", "a1": "empty"}),
    "reversi": ("d3", {"d3": "dark disc", "e5": "light disc", "a1": "empty"}),
    "chess": ("e2e4 b8c6", {"e4": "white pawn", "c6": "black knight", "e2": "empty", "d8": "black queen"}),
    "chess960": ("g1f3 b8c6 g2g3 g7g6 f1g2 f8g7 e1h1", {"g1": "white king", "f1": "white rook", "h1": "empty"}),
}


@pytest.mark.parametrize("name", names())
def test_places_say_what_stands_on_them(name: str) -> None:
    moves, wanted = STANDS[name]
    position = load_game(name).start()
    for move in moves.split():
        position = position.play(move)
    printed = {place.name: place.content for place in load_game(name).places(position)}
    assert {square: printed[square] for square in wanted} == wanted


def test_the_second_player_of_chess_sees_its_own_men_below_and_points_at_the_same_squares() -> None:
    game = load_game("chess")
    start = game.start()
    assert start.text().startswith("rnbqkbnr/")
    for seat, (square, letter) in enumerate((("a1", "R"), ("h8", "r"))):
        lowest_left = min(game.places(start, seat), key=lambda place: (-place.y, place.x))
        assert lowest_left.name == square
        first_use = re.findall(r'<use href="#(\w)" transform="translate\((\S+) (\S+)\)', game.svg(start, seat))
        assert min(first_use, key=lambda use: (-float(use[2]), float(use[1])))[0] == letter
