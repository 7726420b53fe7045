"""Checks the clocks: the time charged to a bot against the true time between its turn and its move.

The true time is the simulation's: from the server's writing of the turn to the arrival of the answer there. No bot may
be charged for more, and no bot may lose on time whose move arrived in time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from scripts.long_runs.simulation.environment.network import Link
from tabiya.games.position import Position
from tabiya.protocol.messages import Move, Turn
from tabiya.protocol.time_control import parse
from tabiya.server.core.clock import after_move_us, move_limit_us
from tabiya.server.core.policy import LagPolicy
from tabiya.storage.records import MatchRecord, MoveRecord, ResultRecord
from tests.virtual_time import NOON_NS

SERVER = 0  # as the host of a match
US, ROUNDING_US = 1_000_000, 2
PULSE_US = 12_000  # the server sees that its loop was late by more; less is charged as if the bot had used it
JUST_WELCOME_S = 0.05  # a turn written so soon after the welcome may have begun before
LAG_US = 400_000  # taken off what a bot used when the loop was late; longer standstills are counted one by one
POLICY = LagPolicy()
ON_TIME = ("time", "stall", "time_cannot_win")


class Handed(NamedTuple):
    """A turn that was written. certain: its clock started then, and not before."""

    ply: int
    at_s: float
    certain: bool
    link: Link


class Timing:
    """Checks the clocks of a run."""

    def __init__(self, now_s: Callable[[], float], fault: Callable[[str], None]) -> None:
        self._now_s, self._fault = now_s, fault
        self._handed: dict[int, Handed] = {}
        self._readable: defaultdict[tuple[int, int, str], list[float]] = defaultdict(list)
        self._durable_s: dict[tuple[int, int], float] = {}
        self._standstills: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
        self._excuses: list[tuple[float, float]] = []
        self.renamed: set[str] = set()
        """Guests that came back under other names, and cannot play on what they had begun."""
        self.robbed_checked = 0

    # --- what happens

    def restarted(self, matches: Iterable[int]) -> None:
        """A new server plays these: every turn begins again, and what the one before stood still is over."""
        for match_id in matches:
            self.begins_anew(match_id)
        self._standstills.pop(SERVER, None)

    def begins_anew(self, match_id: int) -> None:
        """Another process plays this match from now on."""
        self._handed.pop(match_id, None)
        for key in [key for key in self._readable if key[0] == match_id]:
            del self._readable[key]
        for ply in [ply for ply in self._durable_s if ply[0] == match_id]:
            del self._durable_s[ply]

    def stood_still(self, since_s: float, until_s: float, host: int = SERVER) -> None:
        """The server did not run, or the host of this number."""
        self._standstills[host].append((since_s, until_s))

    def may_be_excused(self, since_s: float, until_s: float) -> None:
        """Something between a gateway and the server failed: up to so much is taken off what a bot used."""
        self._excuses.append((since_s, until_s))

    def turn(self, link: Link, turn: Turn) -> None:
        """A turn was written; only the first time counts."""
        known = self._handed.get(turn.match)
        if known is None or known.ply != turn.ply:
            now_s = self._now_s()
            certain = now_s - link.welcomed_s > JUST_WELCOME_S and (
                link.turns_of is None or turn.match in link.turns_of
            )
            self._handed[turn.match] = Handed(turn.ply, now_s, certain, link)

        if link.turns_of is not None:
            link.turns_of.add(turn.match)

    def introduced(self, link: Link) -> None:
        """A host that may have taken this bot for absent hears that it is there; its clock may have run meanwhile."""
        link.turns_of = set()
        for match_id, handed in self._handed.items():
            if handed.link is link:
                self._handed[match_id] = handed._replace(certain=False)

    def readable(self, link: Link, move: Move) -> None:
        """A move has reached the server, on the newest line of its bot."""
        if link.is_newest:
            self._readable[move.match, move.ply, move.move].append(self._now_s())

    # --- what is durable

    def row(self, match: MatchRecord, row: MoveRecord, rows: Mapping[int, MoveRecord]) -> None:
        """A move with its account: the clocks follow from it, and it from what really passed."""
        self._conserves(match, row, rows)
        self._charged(match, row)
        self._durable_s.setdefault((match.id, row.ply), self._now_s())

    def _conserves(self, match: MatchRecord, row: MoveRecord, rows: Mapping[int, MoveRecord]) -> None:
        control, before_us, credit_us = parse(match.time_control), match.remaining_us, match.credit_left_us
        if row.ply > 0:
            before_us, credit_us = rows[row.ply - 1].remaining_us, rows[row.ply - 1].credit_left_us
        made = sum(other.seat == row.seat and not other.opening for other in rows.values() if other.ply <= row.ply)
        spent_us = row.think_us - row.credit_us
        left_us = list(before_us)
        left_us[row.seat] = after_move_us(control, before_us[row.seat], spent_us, made)
        what = f"match {match.id}, ply {row.ply}"
        if tuple(left_us) != row.remaining_us:
            self._fault(f"{what}: {row.remaining_us} us are left, by the account it should be {left_us}")
        if not 0 <= row.credit_us <= min(row.think_us, credit_us[row.seat], POLICY.per_move_ms * 1_000):
            self._fault(f"{what}: {row.credit_us} us of lag credit of {credit_us[row.seat]} for {row.think_us}")
        if min(row.remaining_us) < 0 or min(row.server_us, row.think_us, row.forgiven_us, row.network_us) < 0:
            self._fault(f"{what}: a time is negative: {row}")
        if control.timed and spent_us > before_us[row.seat]:
            self._fault(f"{what}: {spent_us} us were charged of {before_us[row.seat]}")

    def _charged(self, match: MatchRecord, row: MoveRecord) -> None:
        match_id, standstills = match.id, self._standstills[match.host]
        handed, arrivals = self._handed.get(match_id), self._readable.get((match_id, row.ply, row.text), [])
        if row.opening or handed is None or handed.ply != row.ply or not arrivals:
            return
        what = f"match {match_id}, ply {row.ply}: {row.think_us} us were charged"
        since_s = handed.at_s if handed.certain else self._durable_s.get((match_id, row.ply - 1))
        if since_s is not None and row.think_us > max(0.0, max(arrivals) - since_s) * US + PULSE_US:
            self._fault(f"{what}, at most {(max(arrivals) - since_s) * US:.0f} have passed")
        excused_s = _overlap_s([*standstills, *self._excuses], handed.at_s, max(arrivals))
        least_us = (min(arrivals) - handed.at_s - excused_s) * US - LAG_US
        if row.think_us < least_us:
            self._fault(f"{what}, at least {least_us:.0f} have passed")

    def result(self, match: MatchRecord, result: ResultRecord, end: Position, rows: Mapping[int, MoveRecord]) -> None:
        """Check a loss on time: the time was over, and no answer had arrived before."""
        handed = self._handed.get(match.id)
        if result.ending not in ON_TIME or handed is None or handed.ply != end.ply:
            return
        if self.renamed and match.seats[end.to_move].bot in self.renamed:
            return
        self.robbed_checked += 1
        before_us = rows[end.ply - 1].remaining_us if rows else match.remaining_us
        had_us = move_limit_us(parse(match.time_control), before_us[end.to_move], match.stall_limit_ms * 1_000)
        what = f"match {match.id}: {result.ending} against seat {end.to_move} at ply {end.ply}"
        since_s = handed.at_s if handed.certain else self._durable_s.get((match.id, end.ply - 1))
        if since_s is None:
            return
        for text in end.legal_moves():
            for at_s in self._readable.get((match.id, end.ply, text), ()):
                if (at_s - since_s) * US < had_us - PULSE_US:
                    self._fault(f"{what}: {text} lay there after {(at_s - since_s) * US:.0f} of {had_us} us")
        decided_s = result.ended_at - NOON_NS / 1e9
        standstills = self._standstills[match.host]
        excused_us = _overlap_s(standstills, since_s, decided_s) * US
        unseen_us = PULSE_US * len(standstills) + ROUNDING_US if excused_us else ROUNDING_US
        if (decided_s - since_s) * US - excused_us < had_us - unseen_us:
            self._fault(f"{what}: decided {(decided_s - since_s) * US:.0f} us after a turn with {had_us} us")


def _overlap_s(times: list[tuple[float, float]], since_s: float, until_s: float) -> float:
    """How much of the time between `since_s` and `until_s` these intervals cover."""
    return sum(max(0.0, min(until_s, end) - max(since_s, begin)) for begin, end in times)
