"""How long a thought may take before its player is stopped, its worker killed, and an emergency move sent.

A player plans its own time and is far below these bounds; they are for players that hang, crash or miscalculate.
"""

from typing import NamedTuple

from tabiya.protocol.time_control import ControlKind, TimeControlError, parse

BANK_SHARE = 0.5  # of the time left, where what is not used now is there for later moves
PER_MOVE_SHARE = 0.85  # where what is not used is gone
RESERVE_S = 0.03  # scheduling, encoding and the server's reading, on a busy machine
LARGEST_RESERVE = 0.25  # share of the time for this move
GRACE_S = 1.0  # a busy machine may not get to a process for some tenths of it, and another one costs seconds to start


class MoveTimeLimits(NamedTuple):
    """Seconds from now.

    think_s: then the player is stopped.  answer_s: then the time for the move is over but for the way to the server,
    and an emergency move goes out if there are any.  grace_s: so long after the stop its worker is killed, even if that
    is after the emergency move: late is not hung.
    """

    think_s: float
    grace_s: float
    answer_s: float


def move_time_limits(limit_s: float, time_control: str, network_s: float = 0.0) -> MoveTimeLimits:
    """The bounds for one move.

    limit_s: seconds until the time for this move ends.  time_control: its text; an unknown one counts as a bank.
    network_s: a round trip to the server.
    """
    limit_s = max(limit_s, 0.0)
    answer_s = limit_s - min(RESERVE_S + max(network_s, 0.0), limit_s * LARGEST_RESERVE)
    return MoveTimeLimits(answer_s * (BANK_SHARE if is_bank(time_control) else PER_MOVE_SHARE), GRACE_S, answer_s)


def is_bank(time_control: str) -> bool:
    """Whether unused time of this move can be used later."""
    try:
        return parse(time_control).kind in (ControlKind.FISCHER, ControlKind.PERIODS)
    except TimeControlError:
        return True
