"""Openings that are given: files, and the books of balanced positions that games have."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from scripts.opening_books import RECIPES, SEED, balanced, head
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.textbook.board import LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.order import Guess
from tabiya.bots.textbook.run_listing import SearchSetup
from tabiya.games.errors import UnknownGame
from tabiya.games.openings import distinct_openings
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.openings import OpeningsError, book_lines, book_path, given_lines
from tabiya.server.tournaments.openings import given_openings
from tests.games.polyglot_books import book_of

EPD = """
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2;
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm d4; id "Sicilian";
rnbqkbnr/pppppp1p/6p1/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
"""
PGN = """
[Event "one"]

1. e4 e5 2. Nf3 *

[Event "two"]
[FEN "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"]
[SetUp "1"]

2. exd5 *
"""
EVERY_BOOK = pytest.mark.parametrize("game", RECIPES)
ODD_LINES = 9  # every so many lines are looked at closely
PLIES = 4  # even, so that neither side has made a threat more
SLACK = {"connect5": 200, "reversi": 600, "chess": 100}


def positions(game: str) -> list[Position]:
    rules = load_game(game)
    return [opening.position(rules) for opening in given_openings(rules, {}, book_lines(game))]


@EVERY_BOOK
def test_a_book_says_how_it_was_made_and_holds_as_many_openings_as_it_promises(game: str) -> None:
    text = book_path(game).read_text("utf-8")
    assert text.startswith(head(load_game(game), RECIPES[game]))
    assert len(book_lines(game)) == len(set(book_lines(game))) == RECIPES[game].size


@pytest.mark.slow
@EVERY_BOOK
def test_every_position_of_a_book_is_reached_by_legal_moves_goes_on_and_is_there_once(game: str) -> None:
    found = positions(game)  # raises where a move is not legal
    assert all(position.outcome() is None for position in found)
    assert len({position.text() for position in found}) == len(book_lines(game))


@pytest.mark.slow
@EVERY_BOOK
def test_a_book_holds_what_its_seed_draws_in_that_order(game: str) -> None:
    drawn = (" ".join(opening.moves) for opening in distinct_openings(load_game(game), SEED, None))
    kept = book_lines(game)[:20]
    assert [line for line in islice(drawn, 400) if line in kept] == kept


@pytest.mark.slow
@EVERY_BOOK
def test_the_engine_still_finds_the_first_openings_of_a_book_balanced(game: str) -> None:
    recipe = RECIPES[game]
    given = given_openings(load_game(game), {}, book_lines(game)[:6])
    wide = recipe._replace(margin=2 * recipe.margin)  # an engine that has learned may judge a little differently
    assert len(list(balanced(load_game(game), wide, iter(given)))) == len(given)


@pytest.mark.slow
@EVERY_BOOK
def test_a_plain_search_that_shares_nothing_with_the_engine_finds_no_side_far_ahead(game: str) -> None:
    leaf_evaluator = LeafEvaluator(evaluator_for(load_game(game)), quiescence=True, near=True)
    plain = CompiledListing(find("alphabeta-failsoft"), leaf_evaluator, SearchSetup(Guess.KILLER))
    most = RECIPES[game].margin + SLACK[game]
    for position in positions(game)[::ODD_LINES]:
        assert abs(plain.search(position, PLIES).value) <= most, position.text()


def test_the_book_comes_in_an_order_that_the_seed_draws() -> None:
    one, same, other = (given_lines("book", "chess", seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other
    assert sorted(one) == sorted(other)


def test_a_file_keeps_its_order_and_its_comments_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text("# mine\nd3 c3\n\nd3 c5 # why not\n8/8 w ; bm e4\n")
    assert given_lines(str(file), "reversi") == ["d3 c3", "d3 c5", "8/8 w"]
    assert given_lines("", "reversi") == []


@pytest.mark.parametrize(
    ("text", "sentence"), [(b"# nothing\n", "there is no opening in"), (b"\xff\xfe", "cannot be read .* it is no text")]
)
def test_a_file_without_openings_is_an_error_in_words(tmp_path: Path, text: bytes, sentence: str) -> None:
    file = tmp_path / "mine"
    file.write_bytes(text)
    with pytest.raises(OpeningsError, match=sentence):
        given_lines(str(file), "reversi")


def test_what_is_not_there_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(OpeningsError, match="No such file"):
        given_lines(str(tmp_path / "none"), "chess")
    with pytest.raises(OpeningsError, match="Nim has no book"):
        given_lines("book", "nim")
    with pytest.raises(UnknownGame):
        given_lines("book", "go")


def test_the_positions_of_epd_and_the_games_of_pgn_are_openings(tmp_path: Path) -> None:
    epd, pgn = tmp_path / "book.epd", tmp_path / "book.pgn"
    epd.write_text(EPD)
    pgn.write_text(PGN)
    lines = given_lines(str(epd), "chess")
    assert [len(line.split()) for line in lines] == [4, 4, 6]
    assert len(given_openings(load_game("chess"), {}, lines)) == 3
    moves, position = given_lines(str(pgn), "chess")
    assert moves == "e2e4 e7e5 g1f3"
    assert position.startswith("rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR b")


def test_games_of_pgn_can_be_cut_to_their_first_plies_and_lists_of_openings_cannot(tmp_path: Path) -> None:
    pgn, text = tmp_path / "book.pgn", tmp_path / "book.txt"
    pgn.write_text(PGN)
    text.write_text("e2e4 e7e5")
    assert given_lines(str(pgn), "chess", plies=2)[0] == "e2e4 e7e5"
    with pytest.raises(OpeningsError, match=r"needs openings from a \.pgn or \.bin file"):
        given_lines(str(text), "chess", plies=2)


def test_the_lines_of_a_polyglot_book_come_likely_ones_first_as_its_seed_draws_them(tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    file.write_bytes(book_of({"e2e4": 60_000, "d2d4": 10, "a2a3": 0}, {"e2e4": {"e7e5": 1, "c7c5": 1}}))
    drawn = [given_lines(str(file), "chess", seed) for seed in range(20)]
    assert drawn[0] == given_lines(str(file), "chess", 0)
    assert {tuple(sorted(lines)) for lines in drawn} == {("d2d4", "e2e4 c7c5", "e2e4 e7e5")}
    assert {lines[0] for lines in drawn} == {"e2e4 c7c5", "e2e4 e7e5"}
    assert sorted(given_lines(str(file), "chess", 0, plies=1)) == ["d2d4", "e2e4"]


@pytest.mark.parametrize(
    ("content", "game", "sentence"),
    [
        (b"12345", "chess", "a Polyglot book has entries of 16 bytes, and this has 5 bytes"),
        (b"0" * 16, "chess", "there is no opening in"),
        (b"0" * 16, "reversi", "is a Polyglot book, and those have no Reversi"),
    ],
)
def test_what_is_no_book_of_the_game_is_said(content: bytes, game: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    file.write_bytes(content)
    with pytest.raises(OpeningsError, match=sentence):
        given_lines(str(file), game)


def test_the_order_of_a_file_is_kept_or_drawn_by_the_seed(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("".join(f"{number}\n" for number in range(20)))
    kept = given_lines(str(file), "chess", 1)
    drawn = [given_lines(str(file), "chess", seed, shuffled=True) for seed in (1, 1, 2)]
    assert kept == [str(number) for number in range(20)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert sorted(drawn[0]) == sorted(drawn[2]) == sorted(kept)


def test_a_pgn_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    pgn = tmp_path / "book.pgn"
    pgn.write_text("1. e4 e9 *")
    with pytest.raises(OpeningsError, match=r"cannot be read from .*book.pgn: line 1"):
        given_lines(str(pgn), "chess")
