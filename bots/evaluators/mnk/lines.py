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
from tabiya.games.compiled.several_sets import EIGHT, eight_sets, members, put, union

LANES, LANE = 3, 21
NEXT_LANE = U(LANE)
LANE_MASK = U((1 << LANE) - 1)
MOST_K = 7  # the bit counters have three bits
WORDS = 2 * EIGHT  # and those that two neighbouring windows reach into, as many as eight at once may be read from
SIX, LAST = 6, 63
# the side to move, its opponent, and the cells there are; plain numbers would be types of their own, and compiled so
MOVER, OTHER, BOARD, BEGINS = np.int64(0), np.int64(1), np.int64(2), np.int64(3)
ONE_LACKS, TWO_LACK, THREE_LACK = np.int64(1), np.int64(2), np.int64(3)
START, AHEAD = np.int64(0), np.int64(EIGHT)  # where eight words begin among WORDS
FIRST, SECOND = np.int64(0), np.int64(1)  # cells of a window
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
    """The stones of mover and other, the cells of the board, and all of the words in which windows begin.

    uint64[4, WORDS], by MOVER, OTHER, BOARD, BEGINS.  Words from R on hold the rows that follow: word R + j is word j
    one lane on.
    """
    words, starts = empty_sets(np.int64(4)), starts_of(state)
    for at in range(starts):
        words[BEGINS, at] = ~ZERO
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
def windows_along(words: Any, k: Any, who: Any, dx: Any, dy: Any) -> Any:
    """The windows along (dx, dy) that hold none of the opponent's stones, and how many of `who` each holds.

    Eight words each: the first cells of the windows, and three binary digits of the number, the lowest first.
    """
    valid, stones = eight_sets(words[BEGINS], START), eight_sets(words[who], START)
    ones = twos = fours = stones ^ stones  # none
    for i in range(k):
        valid = valid & shifted(eight_sets(words[BOARD], i * dy) & ~eight_sets(words[1 - who], i * dy), i * dx)
        bits = shifted(eight_sets(words[who], i * dy), i * dx)
        carry = ones & bits
        ones = ones ^ bits
        fours = fours | (twos & carry)
        twos = twos ^ carry
    return valid, ones, twos, fours


@njit
def lacking(windows: Any, k: Any, missing: Any) -> Any:
    """Those of `windows_along` that lack `missing` stones, more than none and less than k: eight words."""
    (valid, ones, twos, fours), number = windows, k - missing
    one, two, four = digit(number, 0), digit(number, 1), digit(number, 2)
    return valid & (ones ^ one) & (twos ^ two) & (fours ^ four)


@njit
def digit(number: Any, place: Any) -> Any:
    """What makes a word of binary digits one of those that agree with a digit of `number`, by XOR."""
    return ZERO if number >> place & 1 else ~ZERO


@njit
def cells_of_windows(windows: Any, kept: Any, starts: Any, first: Any, k: Any, dx: Any, dy: Any) -> Any:
    """Cells `first` to k - 1 of each of `windows`, which go along (dx, dy): eight words, as `windows` are.

    Only the first `starts` words mean anything.  kept: uint64[WORDS], to be written to.
    """
    put(kept, AHEAD, windows)
    for at in range(AHEAD - 1, AHEAD - k, -1):  # what goes on from the lane before
        kept[at] = kept[at + starts] << NEXT_LANE
    cells = windows ^ windows
    for i in range(first, k):
        cells = cells | shifted(eight_sets(kept, AHEAD - i * dy), -i * dx)
    return cells


@njit
def empty_cells(words: Any) -> Any:
    """The cells without a stone: eight words."""
    stones = eight_sets(words[MOVER], START) | eight_sets(words[OTHER], START)
    return eight_sets(words[BEGINS], START) & eight_sets(words[BOARD], START) & ~stones


@njit
def open_pairs(words: Any, who: Any, windows: Any, kept: Any, starts: Any, dx: Any, dy: Any) -> Any:
    """Which of `windows`, eight words of `who`, have a neighbour one step along (dx, dy), and begin on no stone.

    When all lack two, the cells that only one of the neighbours has are empty then, and one stone between them makes
    two windows that lack one.
    kept: uint64[WORDS], to be written to.
    """
    put(kept, START, windows)
    kept[starts] = kept[0] >> NEXT_LANE
    return windows & shifted(eight_sets(kept, dy), dx) & ~eight_sets(words[who], START)


@njit
def count_windows(state: Any) -> Any:
    """The windows of both sides, counted, and the cells that complete a line, each by MOVER and OTHER.

    counts: int64[2, COUNTS].  counts[who, m], 0 < m < k: windows that lack m stones and hold none of the opponent's.
    counts[who, OPEN]: open pairs of windows that lack two ("open threes" when k is five).
    winning: uint64[2, WORDS], in words, the cells that make k in a row.
    """
    counts, sets, words = np.zeros((2, COUNTS), np.int64), empty_sets(np.int64(3)), read_board(state)
    starts, k, winning, kept = starts_of(state), np.int64(state.k), sets[:2], sets[2]
    for who in range(2):
        for dx, dy in STEPS:
            windows = windows_along(words, k, who, dx, dy)
            for missing in range(1, k):
                counts[who, missing] += members(lacking(windows, k, missing))
            twos, fours = lacking(windows, k, TWO_LACK), lacking(windows, k, ONE_LACKS)
            if union(twos) != ZERO:
                counts[who, OPEN] += members(open_pairs(words, who, twos, kept, starts, dx, dy))
            if union(fours) != ZERO:
                cells = cells_of_windows(fours, kept, starts, FIRST, k, dx, dy) & empty_cells(words)
                put(winning[who], START, eight_sets(winning[who], START) | cells)
    return counts, winning


@njit
def answers_to_open_threes(state: Any) -> Any:
    """Where the mover can make a window lack one stone, or break up every open pair of the opponent that lacks two.

    There must be such a pair.  uint64[WORDS], the cells in words; those of one of the pairs where nothing does either.
    """
    words, sets = read_board(state), empty_sets(np.int64(4))
    answers, pair, kept, firsts = sets[0], sets[1], sets[2], sets[3]
    starts, k, empty = starts_of(state), np.int64(state.k), empty_cells(words)
    fours, common, last = empty ^ empty, empty, empty
    for dx, dy in STEPS:
        mine = lacking(windows_along(words, k, MOVER, dx, dy), k, TWO_LACK)
        fours = fours | cells_of_windows(mine, kept, starts, FIRST, k, dx, dy)
        theirs = lacking(windows_along(words, k, OTHER, dx, dy), k, TWO_LACK)
        put(firsts, START, open_pairs(words, OTHER, theirs, kept, starts, dx, dy))
        for at in range(starts):
            while firsts[at] != ZERO:
                pair[at] = firsts[at] & ~(firsts[at] - ONE)
                firsts[at] ^= pair[at]
                last = cells_of_windows(eight_sets(pair, START), kept, starts, FIRST, k + 1, dx, dy) & empty
                common = common & last
                pair[at] = ZERO
    found = (fours & empty) | common
    put(answers, START, found if union(found) != ZERO else last)
    return answers


@njit
def has_double(state: Any) -> Any:
    """Whether the mover has a cell that makes two lines lack one, or one of them and an open pair that lacks two."""
    words, kept = read_board(state), no_cells()
    starts, k, empty = starts_of(state), np.int64(state.k), empty_cells(words)
    all_fours = all_threes = empty ^ empty
    for dx, dy in STEPS:
        windows = windows_along(words, k, MOVER, dx, dy)
        fours = empty & cells_of_windows(lacking(windows, k, TWO_LACK), kept, starts, FIRST, k, dx, dy)
        threes = cells_of_open_threes(words, windows, kept, starts, k, dx, dy)
        if union((fours & (all_fours | all_threes)) | (threes & all_fours)) != ZERO:
            return True
        all_fours, all_threes = all_fours | fours, all_threes | threes
    return False


@njit
def cells_of_open_threes(words: Any, windows: Any, kept: Any, starts: Any, k: Any, dx: Any, dy: Any) -> Any:
    """The cells that make an open pair lack two stones, of the mover's `windows_along` (dx, dy): eight words."""
    pairs = open_pairs(words, MOVER, lacking(windows, k, THREE_LACK), kept, starts, dx, dy)
    return empty_cells(words) & cells_of_windows(pairs, kept, starts, SECOND, k, dx, dy)  # in both windows of the pair


@njit
def cell_at(word: Any, place: Any, starts: Any, columns: Any) -> Any:
    """The number of the cell that a place in a word stands for."""
    return (word + place // LANE * starts) * columns + place % LANE


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
