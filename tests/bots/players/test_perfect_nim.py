"""Perfect Nim wins every won position, in normal and in misère play."""

from __future__ import annotations

import functools
from itertools import product

import pytest

from tabiya.bots.players.perfect_nim import Heaps, PerfectNim, after, best_moves, is_won, moves
from tabiya.games.registry import load_game
from tests.bots.requests import request_at


@functools.cache
def wins(heaps: Heaps) -> bool:
    """Who wins by trying everything: some move leads to a position lost for the other."""
    if not any(heaps.sizes):
        return heaps.misere  # in normal play who cannot move has lost
    return any(not wins(sorted_heaps(after(heaps, *move))) for move in moves(heaps))


def sorted_heaps(heaps: Heaps) -> Heaps:
    return heaps._replace(sizes=tuple(sorted(heaps.sizes)))


@pytest.mark.parametrize("misere", [False, True])
def test_the_rule_agrees_with_trying_everything_on_all_positions_of_three_heaps_up_to_six(misere: bool) -> None:
    for sizes in product(range(7), repeat=3):
        heaps = Heaps(sizes, misere)
        assert is_won(heaps) == wins(sorted_heaps(heaps)), heaps


@pytest.mark.parametrize("misere", [False, True])
def test_in_a_won_position_every_move_it_may_choose_leaves_a_lost_one(misere: bool) -> None:
    for sizes in product(range(6), repeat=3):
        heaps = Heaps(sizes, misere)
        if any(sizes) and is_won(heaps):
            assert all(not is_won(after(heaps, *move)) for move in best_moves(heaps))


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
def test_it_wins_every_won_start_against_every_reply(misere: bool, seat: int) -> None:
    start = load_game("nim").parse(f"1,2,4 {'misere' if misere else 'normal'} {seat + 1}")
    player, open_positions, ends = PerfectNim(), [start], 0
    assert is_won(Heaps((1, 2, 4), misere))
    while open_positions:
        position = open_positions.pop()
        outcome = position.outcome()
        if outcome is not None:
            assert outcome.winner == seat
            ends += 1
        elif position.to_move == seat:
            open_positions.append(position.play(player.choose(request_at(position, seed=len(open_positions))).move))
        else:
            open_positions += [position.play(move) for move in position.legal_moves()]
    assert ends > 10
