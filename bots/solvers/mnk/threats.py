"""Wins by fours alone: every move of the attacker threatens to win at once, every reply is forced.

A *four* is a window that lacks one stone; with k = 5 it has four. Whoever makes one leaves the opponent a single move,
the cell that completes it. So such wins can be searched dozens of plies deep, where few other moves matter: the
"threat sequences" of Allis, van den Herik and Huntjens (docs/sources.md#connect-5-threats), with fours only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.mnk.lines import (
    LANE,
    MOVER,
    OTHER,
    STEPS,
    TWO_LACK,
    count_windows,
    no_cells,
    read_board,
    starts_of,
    windows_from,
    write_cells,
)
from tabiya.bots.search.node_path import interrupted
from tabiya.bots.search.scores import PLIES
from tabiya.games.compiled.bits import ONE, ZERO, U, lsb, mix
from tabiya.games.compiled.jit import njit
from tabiya.games.mnk.rules import has

NOBODY = np.int64(-1)
NOT_FOUND = np.int64(0)
MOST_FOURS = PLIES // 2 - 2  # of one attack
MOST_WAYS = 512  # fours that one move can make, at most; more are not looked at
REFUTED = 1 << 14  # positions that are remembered

WORK = np.dtype(
    [
        *((name, np.int64) for name in ("nodes", "node_limit", "deadline_ns", "stop", "cut")),
        ("salt", np.uint64),
        ("line", np.int32, (PLIES,)),
        ("cells", np.int32, (400,)),
        ("gains", np.int32, (PLIES, MOST_WAYS)),  # where the attacker plays ...
        ("costs", np.int32, (PLIES, MOST_WAYS)),  # ... and where the opponent must
        ("refuted", np.uint64, (REFUTED,)),  # keys of positions without a win ...
        ("refuted_fours", np.int64, (REFUTED,)),  # ... by so many fours
    ],
    align=True,
)


@njit
def list_fours(state: Any, gains: Any, costs: Any) -> Any:
    """Write how the mover can make a four, its own cell and the one that then must be answered; return how many."""
    words, found = read_board(state), no_cells()
    starts, k, count = starts_of(state), np.int64(state.k), 0
    for dx, dy in STEPS:
        for at in range(starts):
            if not windows_from(words, k, MOVER, at, dx, dy, found):
                continue
            windows = found[TWO_LACK]
            while windows != ZERO and count + 2 <= MOST_WAYS:
                place = lsb(windows)
                windows &= windows - ONE
                cell = (at + place // LANE * starts) * np.int64(state.columns) + place % LANE
                step = dy * np.int64(state.columns) + dx
                first, second = empty_pair(state, cell, step)
                gains[count], costs[count] = first, second
                gains[count + 1], costs[count + 1] = second, first
                count += 2
    return count


@njit
def empty_pair(state: Any, cell: Any, step: Any) -> Any:
    """The two empty cells of the window that begins at `cell` and goes on by `step`."""
    first = second = NOBODY
    for i in range(state.k):
        here = cell + i * step
        if not (has(state.stones, 0, here) or has(state.stones, 1, here)):
            first, second = second, here
    return first, second


@njit
def answers_elsewhere(gains: Any, costs: Any, count: Any, i: Any) -> Any:
    """Another cell that way `i` wants answered too, so that both cannot be; NOBODY if there is none."""
    for j in range(count):
        if gains[j] == gains[i] and costs[j] != costs[i]:
            return np.int64(costs[j])
    return NOBODY


@njit
def is_repeated(gains: Any, costs: Any, i: Any) -> Any:
    """Whether an earlier way has the same two cells."""
    times = 0
    for j in range(i):
        times += gains[j] == gains[i] and costs[j] == costs[i]
    return times > 0


@njit
def attack(game: Any, stack: Any, work: Any, fours: Any, ply: Any) -> Any:
    """Plies in which the mover of stack[ply] wins by at most `fours` fours and the last stone; NOT_FOUND if it cannot.

    The line is left in work.line from `ply` on. work.cut is set where more fours might win. Void when work.stop is set.
    """
    if interrupted(work):
        return NOT_FOUND
    state, cells = stack[ply], work.cells
    counts, winning = count_windows(state)
    if write_cells(winning[MOVER], state, cells) > 0:
        work.line[ply] = cells[0]
        return np.int64(1)
    threats = write_cells(winning[OTHER], state, cells)
    block = np.int64(cells[0]) if threats > 0 else NOBODY
    if threats > 1 or counts[MOVER, TWO_LACK] == 0:
        return NOT_FOUND
    if fours == 0 or ply + 4 > PLIES:
        work.cut = 1
        return NOT_FOUND
    key = mix(game.key(state) ^ work.salt) | ONE
    place = np.int64(key >> U(40)) & (REFUTED - 1)
    if work.refuted[place] == key and work.refuted_fours[place] >= fours:
        work.cut = 1
        return NOT_FOUND
    gains, costs = work.gains[ply], work.costs[ply]
    count = list_fours(state, gains, costs)
    for i in range(count):
        if (block != NOBODY and gains[i] != block) or is_repeated(gains, costs, i):
            continue
        work.line[ply], work.line[ply + 1] = gains[i], costs[i]
        other = answers_elsewhere(gains, costs, count, i)
        if other != NOBODY:
            work.line[ply + 2] = other
            return np.int64(3)
        game.make(state, np.int64(gains[i]), stack[ply + 1])
        game.make(stack[ply + 1], np.int64(costs[i]), stack[ply + 2])
        plies = attack(game, stack, work, fours - 1, ply + 2)
        if plies != NOT_FOUND or work.stop != 0:
            return plies + 2
    work.refuted[place], work.refuted_fours[place] = key, fours
    return NOT_FOUND


@njit(cache=True)
def shortest_attack(game: Any, stack: Any, work: Any) -> Any:
    """Plies of the attack with the fewest fours from stack[0]; NOT_FOUND if there is none, or work.stop was set."""
    for fours in range(MOST_FOURS + 1):
        work.cut = 0
        plies = attack(game, stack, work, np.int64(fours), np.int64(0))
        if work.stop != 0:
            return NOT_FOUND
        if plies != NOT_FOUND or work.cut == 0:
            return np.int64(plies)
    return NOT_FOUND
