"""The limits of matches that an operator may set for the whole server."""

from __future__ import annotations

from msgspec import Struct


class LagPolicy(Struct, frozen=True, kw_only=True):
    """The bounds of lag credit. All zero: no credit at all.

    per_move_ms: most for one move.  quota_ms: what a player starts with and never exceeds.
    refill_ms: what each of the player's own moves adds to the quota.
    """

    per_move_ms: int = 200
    quota_ms: int = 2_000
    refill_ms: int = 50


NO_CREDIT = LagPolicy(per_move_ms=0, quota_ms=0, refill_ms=0)


class MatchPolicy(Struct, frozen=True, kw_only=True):
    """Time limits and tolerances of the server. Those of one match (illegal moves, stall limit) are stored with it.

    lag: bounds of the lag credit.
    open_wait_ms: how long a match waits for its players before the clocks run without them.
    absence_ms: a player who is away for so long has abandoned the match; None leaves that to the clock.
    retry_first_ms, retry_longest_ms: pause after a failed save, doubled each time up to the longest.
    waiting_per_seat: messages of one player kept while a save is under way; more are refused.
    """

    lag: LagPolicy = LagPolicy()
    open_wait_ms: int = 60_000
    absence_ms: int | None = 120_000
    retry_first_ms: int = 50
    retry_longest_ms: int = 5_000
    waiting_per_seat: int = 8


DEFAULT_POLICY = MatchPolicy()


def retry_ms(policy: MatchPolicy, failures: int) -> int:
    """How long to wait before the save is tried again, after `failures` (1 or more) failed attempts."""
    return min(policy.retry_longest_ms, policy.retry_first_ms << min(failures - 1, 20))
