"""Who wins at Nim: by retrograde search over the real rules, by the XOR rule, and as published."""

from __future__ import annotations

import itertools
import operator
from functools import cache, reduce
from typing import Any

import pytest

from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.games.data import figures

NIM = load_game("nim")


def position_of(heaps: tuple[int, ...], misere: bool, player: int = 1) -> Position:
    return NIM.parse(f"{','.join(map(str, heaps))} {'misere' if misere else 'normal'} {player}")


def heaps_of(position: Position) -> tuple[int, ...]:
    return tuple(map(int, position.text().split(" ")[0].split(",")))


@cache
def mover_wins(heaps: tuple[int, ...], misere: bool) -> bool:
    """Retrograde: the mover wins if some move leads to a position that is lost for the next."""
    position = position_of(heaps, misere)
    outcome = position.outcome()
    if outcome is not None:
        return outcome.winner == position.to_move
    return any(not mover_wins(heaps_of(position.play(move)), misere) for move in position.legal_moves())


def xor_rule(heaps: tuple[int, ...], misere: bool) -> bool:
    """Bouton 1901: the mover wins if the XOR is not zero; in misère play it is the other way round at the end."""
    nim_sum = reduce(operator.xor, heaps, 0)
    return nim_sum == 0 if misere and max(heaps) <= 1 else nim_sum != 0


@pytest.mark.slow
@pytest.mark.parametrize("misere", [False, True])
def test_the_4096_positions_of_four_heaps_up_to_seven_follow_the_xor_rule(misere: bool) -> None:
    every = list(itertools.product(range(8), repeat=4))
    assert len(every) == 4096
    assert [heaps for heaps in every if mover_wins(heaps, misere) != xor_rule(heaps, misere)] == []


@pytest.mark.parametrize("known", figures("nim_values")["positions"], ids=lambda known: str(known["heaps"]))
def test_values_and_winning_moves_are_the_known_ones(known: dict[str, Any]) -> None:
    heaps = tuple(known["heaps"])
    for play in ("normal", "misere"):
        misere = play == "misere"
        assert mover_wins(heaps, misere) == known[f"{play}_to_move_wins"]
        position = position_of(heaps, misere)
        winning = {move for move in position.legal_moves() if not mover_wins(heaps_of(position.play(move)), misere)}
        assert winning == {"abcd"[heap] + str(take) for heap, take in known[f"{play}_winning_moves"]}


@pytest.mark.parametrize("known", figures("nim_values")["positions"], ids=lambda known: str(known["heaps"]))
def test_the_number_of_games_is_the_known_one(known: dict[str, Any]) -> None:
    assert games_from(tuple(sorted(known["heaps"]))) == known["games"]


@cache
def games_from(heaps: tuple[int, ...]) -> int:
    """How many different complete games start here."""
    position = position_of(heaps, misere=False)
    if position.outcome():
        return 1
    return sum(games_from(tuple(sorted(heaps_of(position.play(move))))) for move in position.legal_moves())


@cache
def winners(heaps: tuple[int, ...], misere: bool, player: int) -> frozenset[int]:
    """The seats that win some game from here when both help."""
    position = position_of(heaps, misere, player)
    outcome = position.outcome()
    if outcome is not None and outcome.winner is not None:
        return frozenset({outcome.winner})
    children = (position.play(move) for move in position.legal_moves())
    return frozenset().union(*(winners(heaps_of(child), misere, child.to_move + 1) for child in children))


@pytest.mark.parametrize("misere", [False, True])
def test_a_seat_can_win_exactly_when_some_series_of_moves_makes_it_win(misere: bool) -> None:
    for heaps in itertools.product(range(4), repeat=3):
        for player in (1, 2):
            position = position_of(heaps, misere, player)
            assert {seat for seat in (0, 1) if position.can_win(seat)} == winners(heaps, misere, player)
