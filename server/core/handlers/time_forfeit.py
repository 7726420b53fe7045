"""The account of a turn in which time ran out: figures, and sentences for the player, who may be a person."""

from __future__ import annotations

from tabiya.server.core.clock import NS_PER_US, US_PER_MS, US_PER_S, move_limit_us, wall_us
from tabiya.server.core.state import AwaitingMove, Match, Terms
from tabiya.storage.records import LostTurn

S_PER_DAY = 86_400


def lost_turn(match: Match, stage: AwaitingMove, late_ns: int, *, came: bool) -> LostTurn:
    """The account of the running turn. late_ns: when its move came (`came`), or when none had come."""
    terms, position = match.terms, match.position
    return LostTurn(
        ply=position.ply,
        seat=position.to_move,
        sent_at=terms.wall_s(stage.handed_out_ns),
        deadline_at=terms.wall_s(stage.deadline_ns),
        arrived_at=terms.wall_s(late_ns) if came else None,
        limit_us=move_limit_us(
            terms.controls[position.to_move], match.seats[position.to_move].remaining_us, terms.stall_us
        ),
        credit_us=stage.credit_us,
        network_us=stage.network_us,
        server_us=stage.server_us,
        standstill_us=(stage.started_ns - stage.handed_out_ns) // NS_PER_US,
        forgiven_us=stage.forgiven_us,
    )


def forfeit_reason(terms: Terms, turn: LostTurn, ended_at: float, *, drawn: bool = False) -> str:
    """The reason of a time forfeit: what happened, what the author can do, and the figures.

    ended_at: when the server knew it.  drawn: the opponent cannot win, so that nobody loses.
    """
    who, timed = terms.who(turn.seat), terms.timed
    what = "ran out of time" if timed else "did not move within the stall limit"
    limit = f"{exact_s(turn.limit_us)} s {'on its clock' if timed else 'to move'}"
    about = f"{who} {what} at ply {turn.ply}: it had {_rounded_s(turn.limit_us)} s, and {_arrival(turn, ended_at)}."
    draw = f" {terms.who(1 - turn.seat)} cannot win any more, so it is a draw." if drawn else ""
    return (
        f"{about}{draw} {_advice(turn)} The figures: turn sent at {time_of_day(turn.sent_at)} UTC with "
        f"{_listed([limit, *_extras(turn)])}, deadline {time_of_day(turn.deadline_at)}, "
        f"{_end(turn, ended_at)}.{_remarks(turn)}"
    )


def _arrival(turn: LostTurn, ended_at: float) -> str:
    if turn.arrived_at is None:
        return "no move came"
    return f"its move came {_rounded_s(wall_us(ended_at) - wall_us(turn.deadline_at))} s too late"


def _advice(turn: LostTurn) -> str:
    advice = "If this is a program, let it think for only a part of its turn's `move_limit_ms`."
    return (
        advice
        if turn.arrived_at is not None
        else f"{advice} If it was not thinking, see whether it hangs or has ended."
    )


def _extras(turn: LostTurn) -> list[str]:
    """What else moved the deadline."""
    credit, standstill = exact_s(turn.credit_us), exact_s(turn.standstill_us)
    extras = [f"{credit} s of lag credit"] if turn.credit_us else []
    return extras + ([f"{standstill} s in which the server stood still"] if turn.standstill_us else [])


def _end(turn: LostTurn, ended_at: float) -> str:
    what = "no move by" if turn.arrived_at is None else "move at"
    late = exact_s(wall_us(ended_at) - wall_us(turn.deadline_at))
    return f"{what} {time_of_day(ended_at)}, {late} s later"


def _remarks(turn: LostTurn) -> str:
    """What else was measured, and not charged."""
    before_us = turn.server_us - turn.standstill_us
    remarks = f" The round trip is {exact_s(turn.network_us)} s; "
    remarks += f"the server's own {exact_s(before_us)} s before the turn are not counted."
    if turn.forgiven_us:
        remarks += f" A restart of the server forgave {exact_s(turn.forgiven_us)} s of thinking on it."
    return remarks


def _rounded_s(time_us: int) -> str:
    """Seconds to the millisecond, rounded up."""
    return exact_s(-(-time_us // US_PER_MS) * US_PER_MS)


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def exact_s(time_us: int) -> str:
    """Microseconds as seconds, exact and without needless zeros: 30500000 is `30.5`."""
    whole, rest = divmod(time_us, US_PER_S)
    return f"{whole}.{rest:06d}".rstrip("0") if rest else str(whole)


def time_of_day(at: float) -> str:
    """Seconds since 1970 as the time of day in UTC, to the microsecond: `10:19:38.663`."""
    seconds, rest = divmod(wall_us(at), US_PER_S)
    minutes, second = divmod(seconds % S_PER_DAY, 60)
    fraction = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}{fraction}"
