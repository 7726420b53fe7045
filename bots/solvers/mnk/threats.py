"""What an attack by fours and threes can go on with, and what can be played against it.

A *four* is a window that lacks one stone; with k = 5 it has four. It leaves the opponent a single move, the cell that
completes it. An open three, in lines.py an *open pair*, threatens to become a four at both ends: the only defences are
the cells that break it up, and fours of one's own. Attacks of such moves alone are the "threat sequences" of Allis,
van den Herik and Huntjens (docs/sources.md#connect-5-threats).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.mnk.lines import (
    MOVER,
    OPEN,
    OTHER,
    START,
    STEPS,
    TWO_LACK,
    answers_to_open_threes,
    cell_at,
    cells_of_open_threes,
    count_windows,
    lacking,
    no_cells,
    read_board,
    starts_of,
    windows_along,
    write_cells,
)
from tabiya.bots.search.scores import PLIES
from tabiya.games.compiled.bits import ONE, ZERO, lsb
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.several_sets import eight_sets, put
from tabiya.games.mnk.rules import has

NOBODY = np.int64(-1)
ATTACKER, DEFENDER = np.int64(0), np.int64(1)  # whose turn it is
GOES_ON, WON, LOST = np.int64(0), np.int64(1), np.int64(2)  # for the attacker; WON: the mover has a line with one move
CELLS = 400

THREATS = [
    ("cells", np.int32, (CELLS,)),
    ("costs", np.int32, (CELLS,)),  # where the opponent must answer a four that is made there; NOBODY: it is no four
    ("many", np.int64, (PLIES,)),  # by ply: how many moves there are, ...
    ("moves", np.int32, (PLIES, CELLS)),  # ... they, ...
    ("replies", np.int32, (PLIES, CELLS)),  # ... and, to fours of the attacker, the only reply; else NOBODY
]
"""The fields of a search's record that are written here."""


@njit
def add_move(work: Any, ply: Any, move: Any, reply: Any) -> None:
    """One more move at `ply`."""
    count = work.many[ply]
    work.moves[ply, count], work.replies[ply, count] = move, reply
    work.many[ply] = count + 1


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
def add_fours(state: Any, work: Any, ply: Any, block: Any) -> Any:
    """Add the mover's fours; return whether one wins, because it needs two answers, and is now the only move.

    block: the cell that must be played to; NOBODY if any may.
    """
    words, found, costs = read_board(state), no_cells(), work.costs
    starts, k, columns = starts_of(state), np.int64(state.k), np.int64(state.columns)
    for cell in range(CELLS):
        costs[cell] = NOBODY
    for dx, dy in STEPS:
        put(found, START, lacking(windows_along(words, k, MOVER, dx, dy), k, TWO_LACK))
        for at in range(starts):
            windows = found[at]
            while windows != ZERO:
                place = lsb(windows)
                windows &= windows - ONE
                cell = cell_at(at, place, starts, columns)
                gain, cost = empty_pair(state, cell, dy * columns + dx)
                for _ in range(2):
                    gain, cost = cost, gain
                    if block != NOBODY and gain != block:
                        continue
                    if costs[gain] == NOBODY:
                        costs[gain] = cost
                        add_move(work, ply, gain, cost)
                    elif costs[gain] != cost:
                        work.many[ply] = 0
                        add_move(work, ply, gain, cost)
                        return True
    return False


@njit
def add_threes(state: Any, work: Any, ply: Any) -> None:
    """Add the moves that make an open pair and no four."""
    words, kept, cells = read_board(state), no_cells(), no_cells()
    starts, k = starts_of(state), np.int64(state.k)
    for dx, dy in STEPS:
        threes = cells_of_open_threes(words, windows_along(words, k, MOVER, dx, dy), kept, starts, k, dx, dy)
        put(cells, START, eight_sets(cells, START) | threes)
    for i in range(write_cells(cells, state, work.cells)):
        if work.costs[work.cells[i]] == NOBODY:
            add_move(work, ply, np.int64(work.cells[i]), NOBODY)


@njit
def list_attacks(state: Any, work: Any, ply: Any) -> Any:
    """List what the attacker, who is to move, can play; WON, LOST or GOES_ON. If WON, the first move wins at once."""
    counts, winning = count_windows(state)
    work.many[ply] = 0
    if counts[MOVER, 1] > 0:
        write_cells(winning[MOVER], state, work.cells)
        add_move(work, ply, np.int64(work.cells[0]), NOBODY)
        return WON
    threats = write_cells(winning[OTHER], state, work.cells)
    block = np.int64(work.cells[0]) if threats > 0 else NOBODY
    if threats > 1 or ply + 3 > PLIES:
        return LOST
    if not add_fours(state, work, ply, block):
        if block == NOBODY:
            add_threes(state, work, ply)
        elif work.many[ply] == 0:
            add_move(work, ply, block, NOBODY)
    return GOES_ON if work.many[ply] > 0 else LOST


@njit
def list_defences(state: Any, work: Any, ply: Any) -> Any:
    """List all that could refute the attack, after a move that made no four; LOST if it threatens nothing."""
    counts, _ = count_windows(state)
    if counts[MOVER, 1] > 0 or counts[OTHER, OPEN] == 0:
        return LOST
    work.many[ply] = 0
    for i in range(write_cells(answers_to_open_threes(state), state, work.cells)):
        add_move(work, ply, np.int64(work.cells[i]), NOBODY)
    return GOES_ON
