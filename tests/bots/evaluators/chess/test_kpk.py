"""King and pawn against king: known positions, and every value the best of those a move leads to."""

from __future__ import annotations

import random

import pytest

from tabiya.bots.evaluators.chess.kpk import PAWNS, WON

SEED = 24


def is_won(side: int, pawn: str, king: str, other: str) -> bool:
    """Whether White's pawn wins; side 0: White is to move."""
    p, k, o = (ord(square[0]) - 97 + 8 * (int(square[1]) - 1) for square in (pawn, king, other))
    return bool(int(WON[side][PAWNS.index(p), k]) >> o & 1)


def steps(square: int) -> list[int]:
    """Where a king can go from there on an empty board."""
    x, y = square % 8, square // 8
    near = [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    return [8 * b + a for a, b in near if 0 <= a < 8 and 0 <= b < 8]


def attacked(pawn: int) -> list[int]:
    """What the pawn attacks."""
    return [pawn + 8 + side for side in (-1, 1) if 0 <= pawn % 8 + side < 8]


def known(side: int, pawn: int, king: int, other: int) -> bool:
    return bool(int(WON[side][PAWNS.index(pawn), king]) >> other & 1)


def has_winning_move(pawn: int, king: int, other: int) -> bool:
    """Whether White, to move, has a move to a won position."""
    if any(known(1, pawn, to, other) for to in steps(king) if to != pawn and to not in (other, *steps(other))):
        return True
    goal = pawn + 8
    if goal in (king, other):
        return False
    if goal > 55:
        return other not in steps(goal) or king in steps(goal)
    if known(1, goal, king, other):
        return True
    return pawn < 16 and goal + 8 not in (king, other) and known(1, goal + 8, king, other)


def has_lost(pawn: int, king: int, other: int) -> bool:
    """Whether every move of Black's, to move, leads to a lost position, or it is mate."""
    moves = [to for to in steps(other) if to not in (*attacked(pawn), king, *steps(king))]
    if not moves:
        return other in attacked(pawn)
    return all(to != pawn and known(0, pawn, king, to) for to in moves)


def test_every_value_is_the_best_of_those_a_move_leads_to() -> None:
    draw, compared = random.Random(SEED), 0
    while compared < 4_000:
        pawn, king, other = draw.choice(PAWNS), draw.randrange(64), draw.randrange(64)
        if len({pawn, king, other}) < 3 or other in steps(king):
            continue
        assert known(1, pawn, king, other) == has_lost(pawn, king, other)
        if other not in attacked(pawn):
            assert known(0, pawn, king, other) == has_winning_move(pawn, king, other)
        compared += 1


def test_there_are_as_many_wins_as_a_plain_search_back_from_the_promotions_finds() -> None:
    assert sum(int(squares).bit_count() for squares in WON.ravel()) == 111_282


@pytest.mark.parametrize(
    ("side", "pawn", "king", "other", "won"),
    [
        pytest.param(0, "d3", "d4", "d6", False, id="the other king has the opposition"),
        pytest.param(1, "d3", "d4", "d6", True, id="we have it"),
        pytest.param(0, "d5", "d6", "d8", True, id="a king on the sixth before its pawn"),
        pytest.param(1, "d5", "d6", "d8", True, id="whoever is to move"),
        pytest.param(0, "a5", "a6", "b8", False, id="an outer pawn and the king in its corner"),
        pytest.param(0, "a5", "h1", "e4", True, id="the other king is outside the square"),
        pytest.param(1, "a5", "h1", "e4", False, id="or steps into it"),
        pytest.param(1, "d7", "d6", "d8", False, id="stalemate"),
        pytest.param(1, "b7", "g1", "b8", False, id="the pawn falls"),
    ],
)
def test_what_the_books_say(side: int, pawn: str, king: str, other: str, won: bool) -> None:
    assert is_won(side, pawn, king, other) == won
