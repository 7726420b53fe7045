"""Counting lines of the m,n,k games, dozens of windows at a time.

A window is k cells in a row. For each side three rows of the board share one 64-bit word: with R = ceil(rows / 3), word
j holds the rows j, R + j and 2R + j as lanes of 21 columns. No board has more than 20 columns, so the last column of
every lane is off the board, and a window that leaves its row meets it. Adding up shifted words bit by bit then counts
the stones in all windows of one direction that begin in three rows at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.compiled.bits import ONE, ZERO, U, lsb, popcount
from tabiya.games.compiled.jit import njit

LANES, LANE = 3, 21
NEXT_LANE = U(LANE)
LANE_MASK = U((1 << LANE) - 1)
MOST_STARTS = 7  # words in which windows begin: 20 rows in three lanes
MOST_K = 7  # the bit counters have three bits
WORDS = MOST_STARTS + MOST_K  # and those that two neighbouring windows reach into
SIX, LAST = 6, 63
# the side to move, its opponent, and the cells there are; plain numbers would be types of their own, and compiled so
MOVER, OTHER, BOARD = np.int64(0), np.int64(1), np.int64(2)
TWO_LACK = 2
OPEN = MOST_K + 1
COUNTS = OPEN + 1
STEPS = ((1, 0), (0, 1), (1, 1), (-1, 1))


@njit
def starts_of(state: Any) -> Any:
    """In how many words windows begin (R above)."""
    return np.int64((state.rows + LANES - 1) // LANES)


@njit
def no_cells() -> Any:
    """An empty set of cells: uint64[WORDS]. Made in one place, for every place is compiled by itself."""
    return np.zeros(WORDS, np.uint64)


@njit
def empty_sets(many: Any) -> Any:
    """`many` empty sets of cells: uint64[many, WORDS]."""
    return np.zeros((many, WORDS), np.uint64)


@njit
def read_board(state: Any) -> Any:
    """The stones of mover and other and the cells of the board: uint64[3, WORDS], by MOVER, OTHER, BOARD.

    Words from R on hold the rows that follow: word R + j is word j one lane on.
    """
    words, starts = empty_sets(np.int64(3)), starts_of(state)
    full = (ONE << U(state.columns)) - ONE
    for y in range(state.rows):
        start = y * state.columns
        word, shift = start >> SIX, start & LAST
        lane, at = U(LANE * (y // starts)), y % starts
        words[BOARD, at] |= full << lane
        for who in range(2):
            seat = state.side if who == MOVER else 1 - state.side
            bits = state.stones[seat, word] >> U(shift)
            if shift + state.columns > LAST + 1:
                bits |= state.stones[seat, word + 1] << U(LAST + 1 - shift)
            words[who, at] |= (bits & full) << lane
    for part in range(3):
        for at in range(starts, starts + state.k - 1):
            words[part, at] = words[part, at - starts] >> NEXT_LANE
    return words


@njit
def shifted(bits: Any, steps: Any) -> Any:
    """`bits` moved so that what lies `steps` columns further comes to its place (steps may be negative)."""
    return bits >> U(steps) if steps >= 0 else bits << U(-steps)


@njit
def windows_from(words: Any, k: Any, who: Any, at: Any, dx: Any, dy: Any, found: Any) -> Any:
    """Sort the windows that begin in word `at` and go along (dx, dy) by how many stones `who` lacks.

    found: uint64, MOST_K + 1 or more.  found[m] gets the first cells of the windows that lack m stones (0 < m < k) and
    hold none of the opponent's.  Returns whether there can be any; `found` is written only then.
    """
    stones = words[who, at]
    for i in range(1, k):
        stones |= words[who, at + i * dy]
    if stones == ZERO:
        return False
    valid = ~ZERO
    ones, twos, fours = ZERO, ZERO, ZERO
    for i in range(k):
        here = at + i * dy
        valid &= shifted(words[BOARD, here] & ~words[1 - who, here], i * dx)
        bits = shifted(words[who, here], i * dx)
        carry = ones & bits
        ones ^= bits
        fours |= twos & carry
        twos ^= carry
    for missing in range(1, k):
        number = k - missing
        lack = valid
        lack &= ones if number & 1 else ~ones
        lack &= twos if number & 2 else ~twos
        lack &= fours if number & 4 else ~fours
        found[missing] = lack
    return True


@njit
def add_cells_of(cells: Any, windows: Any, at: Any, k: Any, dx: Any, dy: Any) -> None:
    """Add to `cells` (uint64[WORDS]) those of the windows that begin in word `at` and go along (dx, dy)."""
    for i in range(k):
        cells[at + i * dy] |= shifted(windows, -i * dx)


@njit
def keep_empty_cells(cells: Any, words: Any, starts: Any) -> None:
    """Leave of what was marked the empty cells, each in the word where its row has its first place."""
    for at in range(len(cells) - 1, starts - 1, -1):
        cells[at - starts] |= cells[at] << NEXT_LANE
    for at in range(starts):
        cells[at] &= words[BOARD, at] & ~(words[MOVER, at] | words[OTHER, at])


@njit
def open_pairs(stones: Any, windows: Any, at: Any, dx: Any, dy: Any) -> Any:
    """Which of `windows` in word `at` have a neighbour one step along (dx, dy) in the set too, and begin on no stone.

    stones: words of the side whose windows they are.  windows[at + dy] must be there.  When all lack two, the cells
    that only one of the neighbours has are empty then, and one stone between them makes two windows that lack one.
    """
    return windows[at] & shifted(windows[at + dy], dx) & ~stones[at]


@njit
def count_windows(state: Any) -> Any:
    """The windows of both sides, counted, and the cells that complete a line, each by MOVER and OTHER.

    counts: int64[2, COUNTS].  counts[who, m], 0 < m < k: windows that lack m stones and hold none of the opponent's.
    counts[who, OPEN]: open pairs of windows that lack two ("open threes" when k is five).
    winning: uint64[2, WORDS], in words, the cells that make k in a row.
    """
    counts, winning = np.zeros((2, COUNTS), np.int64), empty_sets(np.int64(2))
    words, found, twos = read_board(state), no_cells(), no_cells()
    starts, k = starts_of(state), np.int64(state.k)
    for dx, dy in STEPS:
        for who in range(2):
            for at in range(starts):
                twos[at] = ZERO
                if windows_from(words, k, who, at, dx, dy, found):
                    for missing in range(1, k):
                        counts[who, missing] += popcount(found[missing])
                    twos[at] = found[TWO_LACK]
                    if found[1] != ZERO:
                        add_cells_of(winning[who], found[1], at, k, dx, dy)
            twos[starts] = twos[0] >> NEXT_LANE
            for at in range(starts):
                counts[who, OPEN] += popcount(open_pairs(words[who], twos, at, dx, dy))
    for who in range(2):
        keep_empty_cells(winning[who], words, starts)
    return counts, winning


@njit
def answers_to_open_threes(state: Any) -> Any:
    """Where the mover can make a window lack one stone, or break up every open pair of the opponent that lacks two.

    There must be such a pair.  uint64[WORDS], the cells in words; those of one of the pairs where nothing does either.
    """
    words, found, twos = read_board(state), no_cells(), no_cells()
    fours, common, pair = no_cells(), no_cells(), no_cells()
    starts, k = starts_of(state), np.int64(state.k)
    for at in range(starts):
        common[at] = ~ZERO
    for dx, dy in STEPS:
        for at in range(starts):
            if windows_from(words, k, MOVER, at, dx, dy, found):
                add_cells_of(fours, found[TWO_LACK], at, k, dx, dy)
            twos[at] = ZERO
            if windows_from(words, k, OTHER, at, dx, dy, found):
                twos[at] = found[TWO_LACK]
        twos[starts] = twos[0] >> NEXT_LANE
        for at in range(starts):
            pairs = open_pairs(words[OTHER], twos, at, dx, dy)
            while pairs != ZERO:
                first = ONE << U(lsb(pairs))
                pairs ^= first
                for i in range(WORDS):
                    pair[i] = ZERO
                add_cells_of(pair, first, at, k + 1, dx, dy)
                keep_empty_cells(pair, words, starts)
                for i in range(starts):
                    common[i] &= pair[i]
    keep_empty_cells(fours, words, starts)
    for i in range(starts):
        fours[i] |= common[i]
    return fours if cells_of(fours, starts) > 0 else pair


@njit
def write_cells(words: Any, state: Any, moves: Any) -> Any:
    """Write the cells that `words` hold as moves, row by row; return how many."""
    starts, count = starts_of(state), 0
    for y in range(state.rows):
        left = (words[y % starts] >> U(LANE * (y // starts))) & LANE_MASK
        while left != ZERO:
            moves[count] = y * state.columns + lsb(left)
            count += 1
            left &= left - ONE
    return count


@njit
def cells_of(words: Any, starts: Any) -> Any:
    """How many cells the first `starts` words hold together."""
    cells = 0
    for at in range(starts):
        cells += popcount(words[at])
    return cells


@njit
def near_stones(state: Any, reach: Any) -> Any:
    """The empty cells within `reach` columns and rows of any stone: uint64[WORDS], in words.

    reach: at most k - 1, so that the rows after the last word are there.
    """
    words, near, starts = read_board(state), no_cells(), starts_of(state)
    for at in range(starts):
        wide = words[MOVER, at] | words[OTHER, at]
        for step in range(1, reach + 1):
            wide |= words[MOVER, at + step] | words[OTHER, at + step]
            before = (at - step) % starts
            above = words[MOVER, before] | words[OTHER, before]
            wide |= above if at >= step else above << NEXT_LANE
        for _ in range(reach):
            wide = (wide | (wide << ONE) | (wide >> ONE)) & words[BOARD, at]  # or it would go on in the next lane
        near[at] = wide & ~(words[MOVER, at] | words[OTHER, at])
    return near
