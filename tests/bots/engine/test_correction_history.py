"""The evaluation's errors are learned where something is the same, and nowhere else. Here as plain Python."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba import njit

from tabiya.bots.engine import correction_history
from tabiya.bots.engine.correction_history import MOST_ERROR, SIXTEENTHS
from tabiya.bots.engine.state import CORRECTION_KEYS, CORRECTION_KINDS, NO_SLOT
from tabiya.bots.engine.transposition_table import EXACT, LOWER, UNKNOWN, UPPER
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.scores import WON
from tabiya.games.registry import load_game

DEPTH, PLY = 8, 2
MOST = 5 * MOST_ERROR // (2 * SIXTEENTHS)  # by pawns whole, by the pieces of each seat and the moves half


@njit  # type: ignore[untyped-decorator]
def correction_key_of(game: Any, state: Any) -> Any:
    return game.correction_key(state)


def plain(function: Any) -> Any:
    return getattr(function, "py_func", function)


@njit  # type: ignore[untyped-decorator]
def piece_key_of(game: Any, state: Any, seat: Any) -> Any:
    return game.piece_key(state, np.int64(seat))


def a_game(key: int = 5, seat: int = 0, pieces: tuple[int, int] = (7, 8)) -> Any:
    return SimpleNamespace(
        correction_key=lambda state: np.uint64(key),
        piece_key=lambda state, seat: np.uint64(pieces[seat]),
        to_move=lambda state: seat,
    )


def a_memory(corrections: int = 1) -> Any:
    errors = np.zeros((CORRECTION_KINDS, 2, CORRECTION_KEYS), np.int16)
    return SimpleNamespace(corrections=corrections, errors=errors, slots=np.array([11, 12]))


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("places", "slot_before"):
        monkeypatch.setattr(correction_history, name, plain(getattr(correction_history, name)))
    monkeypatch.setattr(correction_history, "mix", lambda h: h)  # plain it warns of its overflow


def learn(work: Any, value: int, bound: Any = EXACT, evaluation: int = 0, times: int = 1, game: Any = None) -> None:
    for _ in range(times):
        plain(correction_history.note_error)(game or a_game(), None, work, DEPTH, evaluation, value, bound, PLY)


def seen(work: Any, evaluation: int = 0, game: Any = None) -> int:
    return int(plain(correction_history.corrected)(game or a_game(), None, work, evaluation, PLY))


def test_an_evaluation_that_was_too_low_is_raised_where_the_key_is_the_same() -> None:
    work = a_memory()
    learn(work, 40, times=50)
    assert 20 < seen(work, 100) - 100 <= MOST
    assert seen(work, game=a_game(seat=1)) == 0


def test_other_pawns_other_pieces_of_a_seat_and_other_moves_each_take_a_part_of_the_correction_away() -> None:
    work = a_memory()
    learn(work, 5_000, times=1_000)
    for other in (a_game(key=6), a_game(pieces=(9, 8)), a_game(pieces=(7, 9))):
        assert 0 < seen(work, game=other) < seen(work)
    assert seen(work, game=a_game(key=6)) < seen(work, game=a_game(pieces=(9, 8))), "pawns count twice as much"
    whole = seen(work)
    for moves in ([11, 13], [13, 12], [11, NO_SLOT]):
        work.slots[:] = moves
        assert 0 < seen(work) < whole
    assert seen(work, game=a_game(key=6, pieces=(9, 9))) == 0


def test_an_error_that_goes_away_is_forgotten() -> None:
    work = a_memory()
    learn(work, 40, times=50)
    before = seen(work)
    learn(work, -10, evaluation=10, times=50)
    assert seen(work) < 0 < before


@pytest.mark.parametrize("value", [5_000, -5_000])
def test_no_error_grows_beyond_its_bound(value: int) -> None:
    work = a_memory()
    learn(work, value, times=1_000)
    assert MOST - 10 <= abs(seen(work)) <= MOST


@pytest.mark.parametrize(("value", "bound"), [(-30, LOWER), (0, LOWER), (30, UPPER), (0, UPPER)])
def test_a_bound_on_the_other_side_says_nothing(value: int, bound: Any) -> None:
    work = a_memory()
    learn(work, value, bound)
    assert not work.errors.any()


@pytest.mark.parametrize(("value", "bound"), [(30, LOWER), (-30, UPPER)])
def test_a_bound_on_its_own_side_is_learned_from(value: int, bound: Any) -> None:
    work = a_memory()
    learn(work, value, bound, times=9)
    assert seen(work) * value > 0


def test_nothing_is_learned_in_check_from_mates_without_a_key_and_without_the_switch() -> None:
    work = a_memory()
    learn(work, 90, evaluation=int(UNKNOWN))
    learn(work, int(WON) + 5)
    learn(work, 90, game=a_game(key=0))
    assert not work.errors.any()
    off = a_memory(corrections=0)
    learn(off, 90)
    assert not off.errors.any()


def test_a_corrected_evaluation_never_looks_like_a_win() -> None:
    work = a_memory()
    learn(work, 5_000, times=1_000)
    assert seen(work, int(WON) - 10) < WON


@pytest.mark.slow
def test_in_chess_the_key_is_where_the_pawns_stand() -> None:
    evaluator = evaluator_for(load_game("chess"))
    here, moved, pushed, other = (
        int(correction_key_of(evaluator, evaluator.parse(fen).state))
        for fen in (
            "4k3/pp6/8/8/8/8/PP6/RN2K3 w - - 0 1",
            "4k3/pp6/8/8/8/2N5/PP6/1R2K3 b - - 3 2",
            "4k3/pp6/8/8/8/1P6/P7/RN2K3 w - - 0 1",
            "4k3/PP6/8/8/8/8/pp6/RN2K3 w - - 0 1",
        )
    )
    assert here == moved
    assert len({here, pushed, other}) == 3


@pytest.mark.slow
def test_in_chess_the_pieces_of_a_seat_have_a_key_of_their_own_whatever_the_pawns_do() -> None:
    evaluator = evaluator_for(load_game("chess"))

    def keys(fen: str) -> tuple[int, int]:
        state = evaluator.parse(fen).state
        return int(piece_key_of(evaluator, state, 0)), int(piece_key_of(evaluator, state, 1))

    here = keys("4k3/pp6/8/8/8/8/PP6/RN2K3 w - - 0 1")
    assert keys("4k3/p7/1p6/8/8/1P6/P7/RN2K3 b - - 0 1") == here
    assert keys("4k3/pp6/8/8/8/2N5/PP6/R3K3 b - - 0 1")[1] == here[1]
    others = ("4k3/pp6/8/8/8/2N5/PP6/R3K3 b - - 0 1", "4k3/pp6/8/8/8/8/PP6/NR2K3 w - - 0 1")
    assert len({here[0], *(keys(fen)[0] for fen in others)}) == 3
    assert len({here[1], keys("3k4/pp6/8/8/8/8/PP6/RN2K3 w - - 0 1")[1]}) == 2
