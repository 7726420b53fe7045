"""Chess in Polyglot's books: the published keys, python-chess's keys in random games, and moves."""

from __future__ import annotations

import random
from pathlib import Path

import chess.polyglot
import pytest

from tabiya.games.chess.polyglot import polyglot_key, polyglot_move, random64
from tabiya.games.polyglot import ENTRY
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.games.polyglot_books import number_of

PUBLISHED = {
    "": 0x463B96181691FC9C,
    "e2e4": 0x823C9B50FD114196,
    "e2e4 d7d5": 0x0756B94461C50FB0,
    "e2e4 d7d5 e4e5": 0x662FAFB965DB29D4,
    "e2e4 d7d5 e4e5 f7f5": 0x22A48B5A8E47FF78,
    "e2e4 d7d5 e4e5 f7f5 e1e2": 0x652A607CA3F242C1,
    "e2e4 d7d5 e4e5 f7f5 e1e2 e8f7": 0x00FDD303C946BDD9,
    "a2a4 b7b5 h2h4 b5b4 c2c4": 0x3C8123EA7B067637,
    "a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3": 0x5C3F9B829B279560,
}
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R {} KQkq - 0 1"


def position(moves: str) -> Position:
    found = load_game("chess").start()
    for move in moves.split():
        found = found.play(move)
    return found


@pytest.mark.parametrize("moves", PUBLISHED)
def test_the_published_positions_have_the_published_keys(moves: str) -> None:
    assert polyglot_key(position(moves)) == PUBLISHED[moves]


def test_keys_are_those_of_python_chess_in_random_games() -> None:
    assert random64() == tuple(chess.polyglot.POLYGLOT_RANDOM_ARRAY)
    chance = random.Random(4)
    for _ in range(10):
        ours, theirs = position(""), chess.Board()
        while ours.outcome() is None and ours.ply < 60:
            pawns = [move for move in ours.legal_moves() if move[1] + move[3] in ("24", "75")]
            move = chance.choice(pawns if pawns and chance.random() < 0.3 else ours.legal_moves())
            ours = ours.play(move)
            theirs.push_uci(move)
            assert polyglot_key(ours) == chess.polyglot.zobrist_hash(theirs), theirs.fen()


def test_a_pawn_that_could_be_taken_but_for_the_rules_counts_in_the_key_as_the_format_says() -> None:
    """After c2c4 the pawn on d4 may not take: its king would stand in check."""
    fen = "8/8/8/8/R2p3k/8/2P5/K7 w - - 0 1"
    ours, theirs = load_game("chess").parse(fen).play("c2c4"), chess.Board(fen)
    theirs.push_uci("c2c4")
    assert ours.text().split()[3] == "-"
    assert polyglot_key(ours) == chess.polyglot.zobrist_hash(theirs)


def test_a_position_without_history_has_the_key_that_its_text_gives() -> None:
    fen = position("e2e4 d7d5 e4e5 f7f5").text()
    assert polyglot_key(load_game("chess").parse(fen)) == PUBLISHED["e2e4 d7d5 e4e5 f7f5"]


@pytest.mark.parametrize(
    ("fen", "written", "move"),
    [
        (CASTLES.format("w"), "e1h1", "e1g1"),
        (CASTLES.format("w"), "e1a1", "e1c1"),
        (CASTLES.format("b"), "e8h8", "e8g8"),
        (CASTLES.format("b"), "e8a8", "e8c8"),
        ("4k3/1P6/8/8/8/8/8/R3K3 w Q - 0 1", "b7b8n", "b7b8n"),
        ("4k3/1P6/8/8/8/8/8/R3K3 w Q - 0 1", "b7b8", ""),
        ("4k3/8/8/8/8/8/8/Q2K4 w - - 0 1", "a1h8", "a1h8"),
        ("4k3/8/8/8/8/8/8/Q2K4 w - - 0 1", "e1h1", ""),
    ],
)
def test_moves_are_read_as_python_chess_does_with_castling_by_the_kings_own_move(
    fen: str, written: str, move: str, tmp_path: Path
) -> None:
    board, number, book = chess.Board(fen), number_of(written), tmp_path / "book.bin"
    book.write_bytes(ENTRY.pack(chess.polyglot.zobrist_hash(board), number, 1, 0))
    with chess.polyglot.open_reader(book) as reader:
        assert [entry.move.uci() for entry in reader.find_all(board)] == [move] * bool(move)
    assert polyglot_move(load_game("chess").parse(fen), number) == move
