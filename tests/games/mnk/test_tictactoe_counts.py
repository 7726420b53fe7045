"""Tic-tac-toe counted out: every game, every reachable state, perft."""

from __future__ import annotations

from collections import Counter

import pytest

from tabiya.games.perft import divide, perft
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.games.data import figures

KNOWN = figures("tictactoe_counts")
GAME = load_game("tictactoe")


def reachable() -> dict[str, Position]:
    """Every state by its text, each level after the one before it."""
    found, level = {}, {GAME.start().text(): GAME.start()}
    while level:
        found.update(level)
        children = [position.play(move) for position in level.values() for move in position.legal_moves()]
        level = {child.text(): child for child in children}
    return found


STATES = reachable()


def ways() -> dict[str, int]:
    """In how many ways each state is reached."""
    counts = Counter({GAME.start().text(): 1})
    for text, position in STATES.items():
        for move in position.legal_moves():
            counts[position.play(move).text()] += counts[text]
    return counts


def test_the_reachable_states_are_as_many_as_known() -> None:
    over = [position for position in STATES.values() if position.outcome()]
    assert (len(STATES), len(over)) == (KNOWN["reachable_states"], KNOWN["terminal_states"])


def test_the_games_and_their_results_are_as_many_as_known() -> None:
    results: Counter[int | None] = Counter()
    for text, count in ways().items():
        outcome = STATES[text].outcome()
        if outcome:
            results[outcome.winner] += count
    assert results == {0: KNOWN["x_wins"], 1: KNOWN["o_wins"], None: KNOWN["draws"]}
    assert sum(results.values()) == KNOWN["games"]


def test_perft_counts_no_finished_games() -> None:
    assert [perft(GAME.start(), depth) for depth in range(10)] == KNOWN["perft"]
    assert perft(GAME.start(), 10) == 0
    assert sum(divide(GAME.start(), 5).values()) == KNOWN["perft"][5]


def test_the_game_is_a_draw_and_so_is_every_opening() -> None:
    values: dict[str, int] = {}
    for text, position in reversed(STATES.items()):
        outcome = position.outcome()
        if outcome:
            values[text] = 0 if outcome.winner is None else 1 if outcome.winner == position.to_move else -1
        else:
            values[text] = max(-values[position.play(move).text()] for move in position.legal_moves())
    start = GAME.start()
    assert values[start.text()] == 0
    assert {values[start.play(move).text()] for move in start.legal_moves()} == {0}


@pytest.mark.slow
def test_can_win_is_true_wherever_a_win_is_possible_and_seldom_elsewhere() -> None:
    winners: dict[str, set[int]] = {}
    too_many = 0
    for text, position in reversed(STATES.items()):
        outcome = position.outcome()
        if outcome:
            winners[text] = set() if outcome.winner is None else {outcome.winner}
        else:
            winners[text] = set().union(*(winners[position.play(move).text()] for move in position.legal_moves()))
        claimed = {seat for seat in (0, 1) if position.can_win(seat)}
        assert winners[text] <= claimed
        too_many += len(claimed - winners[text])
    assert (too_many, 2 * len(STATES)) == (228, 10956)
