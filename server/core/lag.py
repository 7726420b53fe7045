"""Lag credit: network delay that is given back, measured by the server alone and bounded twice.

The credit of a move is at most the shortest of the last eight round trips, the bound per move and what is left of the
player's quota. The round trips belong to the connection, which measures them; here they are a number. Where the kernel
tells its own measure, a bot that answers pings late gains nothing; elsewhere it gains no more than the quota and its
refill.
"""

from __future__ import annotations

from msgspec import Struct

from tabiya.server.core.clock import US_PER_MS


class LagPolicy(Struct, frozen=True, kw_only=True):
    """The bounds of lag credit. All zero: no credit at all.

    per_move_ms: most for one move.  quota_ms: what a player starts with and never exceeds.
    refill_ms: what each of the player's own moves adds to the quota.
    """

    per_move_ms: int = 200
    quota_ms: int = 2_000
    refill_ms: int = 50


NO_CREDIT = LagPolicy(per_move_ms=0, quota_ms=0, refill_ms=0)


def trip_ns(pong_ns: int, kernel_ns: int | None) -> int:
    """One round trip: what the answer to a ping took, and never more than the kernel's own measure, if it has one."""
    return max(0, pong_ns if kernel_ns is None else min(pong_ns, kernel_ns))


def opening_quota_us(policy: LagPolicy) -> int:
    """The quota of a player before the first move."""
    return policy.quota_ms * US_PER_MS


def available_us(policy: LagPolicy, network_us: int, quota_us: int) -> int:
    """The most credit the coming move can get.

    network_us: shortest measured round trip, 0 on the same machine.  quota_us: what is left of the quota.
    """
    return max(0, min(network_us, policy.per_move_ms * US_PER_MS, quota_us))


def quota_after_us(policy: LagPolicy, quota_us: int, credit_us: int) -> int:
    """What is left of the quota after a move that was given `credit_us`."""
    return min(policy.quota_ms * US_PER_MS, quota_us - credit_us + policy.refill_ms * US_PER_MS)
