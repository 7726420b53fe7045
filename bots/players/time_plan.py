"""How long to think about one move. Numbers only; every time is in seconds."""

from __future__ import annotations

from typing import NamedTuple

from tabiya.bots.players.api import MoveRequest
from tabiya.protocol.time_control import TimeControlError, parse

UNTIMED_S = 1.0  # a move of a match without clocks
LONGEST_MARGIN_S, MARGIN_SHARE = 0.02, 0.1  # of the budget, kept for the way back
LONGEST_RESERVE_S, RESERVE_SHARE = 0.1, 0.5  # of the first clock, never planned with: a busy machine stalls at times
SHORTEST_S, HURRIED_S = 0.001, 0.0002  # for a move when only the reserve is left; if the increment does not cover it
MOST_MOVES_LEFT, FEWEST_MOVES_LEFT = 32, 12  # own moves that a game is expected to last still
LONGEST_GAME = 100  # own moves that the clock is to last where each costs more than it gains ...
THOUGHT_SHARE = 0.2  # ... but this part of what the moves planned with leave over is for thinking in any case
INCREMENT_SHARE = 0.8  # of the increment that is spent at once ...
INCREMENTS_IN_HAND = 30  # ... when at least so many increments are on the clock; with fewer, less
HARD_FACTOR = 3.0  # a difficult move may take so many times its share
HARD_SHARE = 0.3  # but at most this part of the clock
SOFT_SHARE = 0.55  # no iteration begins after this part of the share: it would hardly end in time


class TimePlan(NamedTuple):
    """soft_s: no deeper iteration begins later.  hard_s: the search ends."""

    soft_s: float
    hard_s: float

    def after(self, spent_s: float) -> TimePlan:
        """The plan after `spent_s` seconds were used elsewhere; part of the rest is always soft."""
        if spent_s <= 0:
            return self
        hard_s = max(min(SHORTEST_S, self.hard_s), self.hard_s - spent_s)
        return TimePlan(max(self.soft_s - spent_s, hard_s * SOFT_SHARE), hard_s)


def plan_time(
    request: MoveRequest,
    fixed_s: float | None = None,
    untimed_s: float = UNTIMED_S,
    most_plies: int = 2 * LONGEST_GAME,
) -> TimePlan:
    """The times for this move, within the budget always.

    fixed_s: seconds a move that the player was told to take; None to manage the clock.  untimed_s: for a move of a
    match without clocks.  most_plies: of a game like this one.
    """
    budget_s = max(0.001, request.budget_s - min(LONGEST_MARGIN_S, MARGIN_SHARE * request.budget_s))
    if fixed_s is not None:
        return TimePlan(fixed_s, min(fixed_s, budget_s))
    if request.remaining_ms is None:
        return TimePlan(min(untimed_s, budget_s) * SOFT_SHARE, min(untimed_s, budget_s))
    if request.time_control.endswith("/move"):
        return TimePlan(budget_s, budget_s)  # what is left over is lost
    most_left = min(LONGEST_GAME, (most_plies + 1) // 2) - request.ply // 2
    return _share_of_clock(request, request.remaining_ms / 1000, budget_s, most_left)


def _share_of_clock(request: MoveRequest, clock_s: float, budget_s: float, most_left: int) -> TimePlan:
    increment_s = request.increment_ms / 1000
    moves_left = request.moves_to_go or max(FEWEST_MOVES_LEFT, MOST_MOVES_LEFT - request.ply // 4)
    usable_s = clock_s - _reserve_s(request.time_control)
    if not request.moves_to_go:
        loss_s = request.overhead_s + HURRIED_S - increment_s  # by a move without any thought
        usable_s -= _kept_s(usable_s, loss_s, moves_left, most_left)
    if usable_s <= 0:
        spare_s = increment_s - request.overhead_s  # the increment is to fill the reserve again
        return TimePlan(0.0, max(HURRIED_S, min(SHORTEST_S, spare_s / 2)))
    in_hand = min(1.0, clock_s / (INCREMENTS_IN_HAND * increment_s)) if increment_s else 0.0
    share_s = max(0.0, usable_s / moves_left + INCREMENT_SHARE * in_hand * increment_s - request.overhead_s)
    most_s = usable_s if moves_left == 1 else HARD_SHARE * usable_s
    hard_s = max(SHORTEST_S, min(HARD_FACTOR * share_s, most_s, budget_s))
    return TimePlan(min(share_s, hard_s) * SOFT_SHARE, hard_s)


def _kept_s(usable_s: float, loss_s: float, moves_left: int, most_left: int) -> float:
    """The time that a long game's moves beyond the planned ones would cost, without any thinking."""
    if loss_s <= 0 or most_left <= moves_left:
        return 0.0
    spare_s = max(0.0, usable_s - loss_s * moves_left)
    return min(loss_s * (most_left - moves_left), (1 - THOUGHT_SHARE) * spare_s)


def _reserve_s(time_control: str) -> float:
    """The time kept on the clock for stalls: not a share of what is left, which would shrink."""
    try:
        base_s = parse(time_control).base_ms / 1000
    except TimeControlError:
        return LONGEST_RESERVE_S
    return min(LONGEST_RESERVE_S, RESERVE_SHARE * base_s)
