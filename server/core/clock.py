"""The arithmetic of the clocks: how much time a move has, how much is left after it, and how much lag is given back.

All times are whole microseconds. Nothing here reads a clock; the policy in words is docs/reference/clock.md.

The lag credit of a move is at most the shortest of the last eight round trips, the bound per move and what is left of
the player's quota. The round trips are measured by the connection; here they are a number.
"""

from __future__ import annotations

from tabiya.protocol.time_control import ControlKind, TimeControl
from tabiya.server.core.policy import LagPolicy, MatchPolicy
from tabiya.storage.records import Pair

US_PER_MS, US_PER_S = 1_000, 1_000_000
NS_PER_US = 1_000


def floor_us_ns(at_ns: int) -> int:
    """The last whole microsecond up to an instant; for the arrival of bytes.

    Inside a match the instants of its account are whole microseconds, so that its sums add up to the last digit.
    """
    return at_ns - at_ns % NS_PER_US


def ceil_us_ns(at_ns: int) -> int:
    """The first whole microsecond from an instant on; for the sending of turns, so that no rounding is charged."""
    return at_ns + -at_ns % NS_PER_US


def wall_us(at: float) -> int:
    """Seconds since 1970 as whole microseconds."""
    return round(at * US_PER_S)


def opening_clocks_us(controls: tuple[TimeControl, TimeControl]) -> Pair:
    """What both players' clocks show before the first move; 0 when there is no clock."""
    first, second = controls
    return first.base_ms * US_PER_MS, second.base_ms * US_PER_MS


def move_limit_us(control: TimeControl, remaining_us: int, stall_us: int) -> int:
    """How long the next move may take, lag credit apart: the clock, or the stall limit when there is none."""
    return remaining_us if control.kind is not ControlKind.NONE else stall_us


def after_move_us(control: TimeControl, remaining_us: int, spent_us: int, moves_made: int) -> int:
    """The clock after a move that was charged `spent_us`.

    remaining_us: before the move.  spent_us: 0..remaining_us.  moves_made: by this player, this move included.
    """
    kind = control.kind
    if kind is ControlKind.PER_MOVE:
        return control.base_ms * US_PER_MS
    if kind is ControlKind.NONE:
        return 0
    left_us = remaining_us - spent_us + control.increment_ms * US_PER_MS
    if kind is ControlKind.PERIODS and moves_made % control.moves == 0:
        left_us += control.base_ms * US_PER_MS
    return left_us


def shown_us(control: TimeControl, remaining_us: int, elapsed_us: int) -> int:
    """The clock after `elapsed_us` of thinking: never below 0."""
    return max(0, remaining_us - elapsed_us) if control.timed else 0


def moves_to_go(control: TimeControl, moves_made: int) -> int | None:
    """Moves until the next period's time is added, the coming one included; None without periods."""
    return control.moves - moves_made % control.moves if control.kind is ControlKind.PERIODS else None


def opening_credit_us(policy: MatchPolicy) -> Pair:
    """Both players' quotas of lag credit before the first move."""
    return policy.lag.quota_ms * US_PER_MS, policy.lag.quota_ms * US_PER_MS


def available_us(policy: LagPolicy, network_us: int, quota_us: int) -> int:
    """The most credit the coming move can get.

    network_us: shortest measured round trip, 0 on the same machine.  quota_us: what is left of the quota.
    """
    return max(0, min(network_us, policy.per_move_ms * US_PER_MS, quota_us))


def quota_after_us(policy: LagPolicy, quota_us: int, credit_us: int) -> int:
    """The remaining quota after a move that was given `credit_us`."""
    return min(policy.quota_ms * US_PER_MS, quota_us - credit_us + policy.refill_ms * US_PER_MS)
