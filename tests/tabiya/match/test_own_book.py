"""An opening book of one player alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.games.registry import load_game
from tabiya.match.own_book import BookTerms, OwnBook
from tabiya.openings import OpeningsError
from tests.games.polyglot_books import book_of

CHESS = load_game("chess")


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "own.bin"
    file.write_bytes(book_of({"e2e4": 3, "d2d4": 1}, {"e2e4 e7e5": {"g1f3": 1}}))
    return str(file)


def test_its_moves_are_drawn_by_their_weights_and_the_same_in_the_same_match(path: str) -> None:
    book, start = OwnBook(BookTerms(path), "chess", seed=5), CHESS.start()
    moves = [book.move(start, match) for match in range(200)]
    assert 120 < moves.count("e2e4") < 180
    assert set(moves) == {"e2e4", "d2d4"}
    assert moves == [OwnBook(BookTerms(path), "chess", seed=5).move(start, match) for match in range(200)]


def test_beyond_its_plies_and_where_it_has_none_the_program_is_asked(path: str) -> None:
    later = CHESS.start().play("e2e4").play("e7e5")
    assert OwnBook(BookTerms(path, 3), "chess", seed=0).move(later, 1) == "g1f3"
    assert OwnBook(BookTerms(path, 2), "chess", seed=0).move(later, 1) == ""
    assert OwnBook(BookTerms(path), "chess", seed=0).move(later.play("d2d4"), 1) == ""


@pytest.mark.parametrize(
    ("name", "game", "sentence"),
    [
        ("none.bin", "chess", "none.bin cannot be read: No such file"),
        (Path(__file__).name, "chess", "entries of 16 bytes"),
        ("none.bin", "reversi", "and those have no Reversi"),
    ],
)
def test_what_is_no_book_is_one_sentence(name: str, game: str, sentence: str) -> None:
    with pytest.raises(OpeningsError, match=sentence):
        OwnBook(BookTerms(str(Path(__file__).with_name(name))), game, seed=0)
