"""What the clocks of a match show at a given moment."""

from __future__ import annotations

from tabiya.server.core.clock import NS_PER_US, shown_us
from tabiya.server.core.state import Match, Thinking


def remaining_now_us(match: Match, now_ns: int) -> tuple[int, int]:
    """What both clocks show now, in microseconds; only a thinking seat's differs from what is saved."""
    first, second = match.seats[0].remaining_us, match.seats[1].remaining_us
    stage = match.stage
    if type(stage) is not Thinking:
        return first, second
    elapsed_us = max(0, now_ns - stage.started_ns) // NS_PER_US
    control = match.terms.control
    if match.position.to_move == 0:
        return shown_us(control, first, elapsed_us), second
    return first, shown_us(control, second, elapsed_us)
