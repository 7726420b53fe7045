"""Positions and moves as arrays and numbers."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tabiya.games.registry import load_game, names
from tabiya.research.encoding import Encoding, EncodingError


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_in_random_games_every_legal_move_has_its_own_number_and_other_positions_other_planes(game: str) -> None:
    random, start = Random(game), load_game(game).start()
    encoding = Encoding(start)
    for _ in range(3):
        position = start
        while position.outcome() is None and position.ply < 120:
            mask = encoding.mask(position)
            actions = np.flatnonzero(mask)
            assert sorted(position.legal_moves()) == sorted(encoding.move(position, action) for action in actions)
            child = position.play(encoding.move(position, random.choice(list(actions))))
            assert not np.array_equal(encoding.observe(position), encoding.observe(child))
            position = child
        if position.outcome() is not None:
            assert not encoding.mask(position).any()


def test_each_piece_is_in_its_plane_as_in_the_picture() -> None:
    game = load_game("tictactoe")
    encoding = Encoding(game.start())
    seen = encoding.observe(game.parse("3x3x3 X--O----- X"))
    assert encoding.planes == ("cross", "ring", "X is to move", "O is to move")
    assert seen[:, :, 0].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert seen[:, :, 1].tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert seen[:, :, 2].all()
    assert not seen[:, :, 3].any()


def test_a_pass_a_promotion_and_castling_have_numbers_of_their_own() -> None:
    reversi, chess = load_game("reversi"), load_game("chess")
    assert Encoding(reversi.start()).action("pass") == 64
    encoding = Encoding(chess.start())
    promotion = chess.parse("8/P3k3/8/8/8/8/4K3/8 w - - 0 1")
    promotes = {encoding.action(f"a7a8{piece}") for piece in "qrbn"}
    assert len(promotes) == 4
    assert promotes <= set(np.flatnonzero(encoding.mask(promotion)).tolist())
    castled = chess.parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert encoding.move(castled, encoding.action("e1g1")) == "e1g1"
    assert [encoding.observe(castled)[0, 0, encoding.planes.index(right)] for right in "KQkq"] == [1, 0, 0, 0]


def test_smaller_heaps_fit_on_a_board_of_larger_ones() -> None:
    nim = load_game("nim")
    encoding = Encoding(nim.start({"heaps": "7,7,7"}))
    position = nim.start({"heaps": "2,7,1"})
    assert encoding.observe(position)[:, :, 0].sum() == 10
    assert [encoding.move(position, action) for action in np.flatnonzero(encoding.mask(position))][-1] == "c1"


@pytest.mark.parametrize(
    ("game", "options", "text"),
    [("nim", {"heaps": "1,2"}, "9,9 normal 1"), ("connect5", {"columns": 5, "rows": 5}, f"6x5x5 -----X{'-' * 24} O")],
)
def test_a_larger_board_does_not_fit_and_is_said(game: str, options: dict[str, object], text: str) -> None:
    encoding, position = Encoding(load_game(game).start(options)), load_game(game).parse(text)
    with pytest.raises(EncodingError, match="is no position of this board: it has a place"):
        encoding.observe(position)
    with pytest.raises(EncodingError, match="has no number on this board"):
        encoding.mask(position)


@pytest.mark.parametrize("action", [0, -1, 64, 70, None])
def test_an_action_that_is_no_legal_move_is_said(action: int) -> None:
    start = load_game("reversi").start()
    with pytest.raises(EncodingError, match="is no legal move in ---"):
        Encoding(start).move(start, action)
