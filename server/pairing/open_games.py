"""The games still to be played, in order, for estimates of the time left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tabiya.server.pairing.state import GAMES_PER_MEETING, Mark, Meeting, PairingState, game_of


class Chain(NamedTuple):
    """Games that follow one another. running: numbers of those under way.  pending: how many are to begin after them.

    again: the chance that a meeting more follows, because this one was level.
    """

    running: tuple[int, ...] = ()
    pending: int = 0
    again: float = 0.0


Stage = tuple[Chain, ...]
"""Chains that may be played at the same time; the next stage begins when all of them are over."""


def single_games(state: PairingState, unpaired: int) -> Stage:
    """Every open game by itself. unpaired: games to come that have no meeting yet."""
    running = [Chain((number,)) for number, mark in enumerate(state.marks) if mark == Mark.RUNNING]
    return (*running, *[Chain((), 1)] * (state.marks.count(Mark.PENDING) + unpaired))


def of_meetings(state: PairingState, numbers: Iterable[int], again: float = 0.0) -> Stage:
    """The open meetings among these, each with its two games one after the other."""
    chains = []
    for meeting in numbers:
        games = range(GAMES_PER_MEETING * meeting, GAMES_PER_MEETING * (meeting + 1))
        running = tuple(number for number in games if state.marks[number] == Mark.RUNNING)
        pending = sum(state.marks[number] == Mark.PENDING for number in games)
        if running or pending:
            chains.append(Chain(running, pending, again))
    return tuple(chains)


def open_by_entrant(meetings: Sequence[Meeting], state: PairingState) -> Counter[int]:
    """For each entrant how many games it has to play, those under way included."""
    counted = Counter[int]()
    for number, mark in enumerate(state.marks):
        if mark in (Mark.PENDING, Mark.RUNNING):
            game = game_of(number, meetings[number // GAMES_PER_MEETING])
            counted.update((game.first, game.second))
    return counted
