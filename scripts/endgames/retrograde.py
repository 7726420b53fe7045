"""How every position of three and four men ends, found by going back from the mates, table by table.

A value is 0 for a draw, else 1 and the plies to the mate of who is to move or moves last: odd has lost, even has won.
ILLEGAL is what is no position, or one with another number. Beside the tables stand the positions of king and pawn each
in which a pawn can be taken en passant; White is to move in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scripts.endgames.jit import njit
from tabiya.bots.evaluators.chess.bitboards import reach_of
from tabiya.bots.evaluators.chess.endgame_index import (
    CORNER,
    FOUR,
    IN_TABLE,
    NO_MAN,
    OF_BLACK,
    PAWNS,
    SIZES,
    SLOTS,
    TABLE_AT,
    TABLES,
    men_of,
    number_of,
)
from tabiya.games.chess.board import KING, PAWN, QUEEN
from tabiya.games.chess.tables import KING_REACH, PAWN_REACH
from tabiya.games.compiled.bits import ONE, ZERO, bit, lsb

ILLEGAL, DRAWN = np.uint8(255), np.int64(-1)  # the second stands for a position of bare kings
BOTH_PAWNS, EN_PASSANT = TABLES.index("KPKP"), len(TABLES)
MEN = np.array([[*men_of(name), NO_MAN][:2] for name in [*TABLES, "KPKP"]])
EN_PASSANT_SIZE = 32 * 64 * 8 * 64  # White's king, its pawn, the file of Black's, Black's king
STARTS = np.concatenate([[0], np.cumsum([*SIZES, EN_PASSANT_SIZE])])
WHITE_KING = np.array(CORNER + [0] * 22)
MOST_MOVES = 128


@njit
def place_of(number: Any) -> Any:
    """Where the value of a position stands. number: from `number_of`."""
    return STARTS[number >> TABLE_AT] + (number & IN_TABLE)


@njit
def squares_of(table: Any, number: Any, squares: Any) -> Any:
    """Write the squares of White's king, Black's, the first man, the second; return who is to move."""
    squares[1] = number & 63
    number >>= 6
    if table == EN_PASSANT:
        squares[3] = 32 + (number & 7)
        squares[2] = number >> 3 & 63
        squares[0] = (number >> 9 >> 2) * 8 + (number >> 9 & 3)
        return np.int64(0)
    squares[3] = -1
    if FOUR[table]:
        squares[3] = number & 63
        number >>= 6
    squares[2] = number & 63
    number >>= 6
    side, slot = number // SLOTS[table], number % SLOTS[table]
    squares[0] = (slot >> 2) * 8 + (slot & 3) if PAWNS[table] else WHITE_KING[slot]
    return side


@njit
def reach(man: Any, square: Any, occupied: Any) -> Any:
    """What a man attacks."""
    kind, seat = man % OF_BLACK, man // OF_BLACK
    return PAWN_REACH[seat, square] if kind == PAWN else reach_of(kind, square, occupied)


@njit
def occupied_by(squares: Any) -> Any:
    """The set of all squares with men."""
    found = bit(squares[0]) | bit(squares[1]) | bit(squares[2])
    return found if squares[3] < 0 else found | bit(squares[3])


@njit
def is_attacked(table: Any, squares: Any, seat: Any) -> Any:
    """Whether the king of `seat` is attacked; the kings are apart."""
    king, occupied = bit(squares[seat]), occupied_by(squares)
    for i in range(2):
        man = MEN[table, i]
        if man != NO_MAN and man // OF_BLACK != seat and reach(man, squares[2 + i], occupied) & king != ZERO:
            return True
    return False


@njit
def number_from(side: Any, squares: Any, one: Any, two: Any) -> Any:
    """`number_of` of men on `squares`, of which one or both may be gone; DRAWN of bare kings, ILLEGAL ones too."""
    if one == NO_MAN:
        if two == NO_MAN:
            return DRAWN
        return number_of(side, squares[0], squares[1], two, squares[3], NO_MAN, np.int64(0))
    return number_of(side, squares[0], squares[1], one, squares[2], two, max(squares[3], np.int64(0)))


@njit
def is_en_passant(side: Any, squares: Any) -> Any:
    """Whether the pawn of who is not to move (of KPKP) may have made a double step beside the other pawn."""
    mine, theirs = squares[2 + side], squares[3 - side]
    step, rank = (8, 4) if side == 0 else (-8, 3)
    if mine >> 3 != rank or theirs >> 3 != rank or abs(mine - theirs) != 1:
        return False
    return occupied_by(squares) & (bit(theirs + step) | bit(theirs + 2 * step)) == ZERO


@njit
def en_passant_number(side: Any, squares: Any) -> Any:
    """The number of such a position."""
    white, black, mine, theirs = squares[side], squares[1 - side], squares[2 + side], squares[3 - side]
    turn = 56 * side ^ (7 if white & 7 > 3 else 0)
    white, black, mine, theirs = white ^ turn, black ^ turn, mine ^ turn, theirs ^ turn
    slot = (white >> 3) * 4 + (white & 3)
    return np.int64(EN_PASSANT) << TABLE_AT | ((slot * 64 + mine) * 8 + (theirs & 7)) * 64 + black


@njit
def is_legal(table: Any, number: Any, squares: Any) -> Any:
    """Whether it is a position, and has this number."""
    side = squares_of(table, number, squares)
    one, two = MEN[table]
    men = 3 if squares[3] < 0 else 4
    occupied, count = occupied_by(squares), 0
    while occupied != ZERO:
        occupied &= occupied - ONE
        count += 1
    if count < men or KING_REACH[squares[0]] & bit(squares[1]) != ZERO:
        return False
    if table == EN_PASSANT:
        if not is_en_passant(side, squares):
            return False
    elif number_from(side, squares, one, two) != np.int64(table) << TABLE_AT | number:
        return False
    for i in range(men - 2):
        if MEN[table, i] % OF_BLACK == PAWN and not 8 <= squares[2 + i] < 56:
            return False
    return not is_attacked(table, squares, 1 - side)


@njit
def add_moves(table: Any, squares: Any, i: Any, side: Any, targets: Any, out: Any, count: Any) -> Any:
    """Write the numbers of the positions after man `i` (0 and 1 the kings) has gone to each of `targets`."""
    one, two, home = MEN[table, 0], MEN[table, 1], squares[i]
    while targets != ZERO:
        target = lsb(targets)
        targets &= targets - ONE
        left, right = one, two
        if squares[2] == target:
            left = NO_MAN
        if squares[3] == target:
            right = NO_MAN
        squares[i] = target
        man = NO_MAN if i < 2 else MEN[table, i - 2]
        if man % OF_BLACK == PAWN and man != NO_MAN and (target < 8 or target > 55):
            for kind in range(PAWN + 1, QUEEN + 1):
                new = man + kind - PAWN
                out[count] = number_from(1 - side, squares, new if i == 2 else left, new if i == 3 else right)
                count += 1
        elif (
            man % OF_BLACK == PAWN
            and man != NO_MAN
            and abs(target - home) == 16
            and is_double_beside(table, squares, side)
        ):
            out[count] = en_passant_number(1 - side, squares)
            count += 1
        elif left == NO_MAN and right == NO_MAN:
            if KING_REACH[squares[0]] & bit(squares[1]) == ZERO:
                out[count] = DRAWN
                count += 1
        else:
            out[count] = number_from(1 - side, squares, left, right)
            count += 1
        squares[i] = home
    return count


@njit
def is_double_beside(table: Any, squares: Any, side: Any) -> Any:
    """Whether the pawn of `side`, after a double step, stands beside the other's."""
    return table >= BOTH_PAWNS and is_en_passant(1 - side, squares)


@njit
def children(table: Any, number: Any, squares: Any, out: Any) -> Any:
    """Write the numbers of the positions that a move leads to, some with the mover's king attacked; return how many."""
    side = squares_of(table, number, squares)
    occupied, count = occupied_by(squares), np.int64(0)
    own = bit(squares[side])
    for i in range(2):
        if MEN[table, i] // OF_BLACK == side:
            own |= bit(squares[2 + i])
    count = add_moves(table, squares, side, side, KING_REACH[squares[side]] & ~own, out, count)
    for i in range(2):
        man, square = MEN[table, i], squares[2 + i]
        if man // OF_BLACK != side:
            continue
        targets = reach(man, square, occupied) & ~own
        if man % OF_BLACK == PAWN:
            targets &= occupied
            step = 8 - 16 * side
            if bit(square + step) & occupied == ZERO:
                targets |= bit(square + step)
                if square >> 3 == (6 if side else 1) and bit(square + 2 * step) & occupied == ZERO:
                    targets |= bit(square + 2 * step)
        count = add_moves(table, squares, 2 + i, side, targets, out, count)
    if table == EN_PASSANT:
        squares[2] = squares[3] + 8
        out[count] = number_from(np.int64(1), squares, MEN[table, 0], NO_MAN)
        count += 1
    return count


@njit
def add_parent(table: Any, squares: Any, mover: Any, out: Any, count: Any) -> Any:
    """Write the number of a position before a move, and where it is another, of the one with a pawn to take."""
    one, two = MEN[table]
    out[count] = number_from(mover, squares, one, two)
    count += 1
    if table >= BOTH_PAWNS and is_en_passant(mover, squares):
        out[count] = en_passant_number(mover, squares)
        count += 1
    return count


@njit
def parents(table: Any, number: Any, squares: Any, out: Any) -> Any:
    """Write the numbers of the positions with these men from which a move leads here; return how many."""
    side = squares_of(table, number, squares)
    mover, occupied, count = 1 - side, occupied_by(squares), np.int64(0)
    for i in range(4):
        man = MEN[table, i - 2] if i > 1 else np.int64(KING)
        seat = man // OF_BLACK if i > 1 else i
        if man == NO_MAN or seat != mover:
            continue
        home = squares[i]
        if i > 1 and man % OF_BLACK == PAWN:
            step = 8 - 16 * mover
            first, second = home - step, home - 2 * step
            if not 8 <= first < 56 or bit(first) & occupied != ZERO:
                continue
            beside = is_double_beside(table, squares, mover)
            if table != EN_PASSANT:
                squares[i] = first
                count = add_parent(table, squares, mover, out, count)
            if home >> 3 == (4 if mover else 3) and bit(second) & occupied == ZERO and beside == (table == EN_PASSANT):
                squares[i] = second
                count = add_parent(table, squares, mover, out, count)
        elif table != EN_PASSANT:
            sources = (KING_REACH[home] if i < 2 else reach(man, home, occupied)) & ~occupied
            while sources != ZERO:
                squares[i] = lsb(sources)
                sources &= sources - ONE
                count = add_parent(table, squares, mover, out, count)
        squares[i] = home
    return count


@njit
def mark_legal(values: Any, table: Any, size: Any) -> None:
    """Set all values of a table to 0 or ILLEGAL."""
    squares, start = np.zeros(4, np.int64), STARTS[table]
    for number in range(size):
        values[start + number] = 0 if is_legal(table, number, squares) else ILLEGAL


@njit
def begin(values: Any, table: Any, size: Any, low: Any, high: Any, wins: Any) -> Any:
    """Values of mates and of what only leads to other tables; wins: by a move into another table; the largest of all.

    low, high: where the values of this table, and what belongs to it, begin and end; wins begin there.
    """
    squares, out, start = np.zeros(4, np.int64), np.zeros(MOST_MOVES, np.int64), STARTS[table]
    most: Any = 0
    for number in range(size):
        place = start + number
        if values[place] == ILLEGAL:
            continue
        count, moves, inside = children(table, number, squares, out), 0, False
        longest: Any = 0
        best: Any = 255
        for i in range(count):
            goal = np.int64(-1) if out[i] == DRAWN else place_of(out[i])
            value = np.int64(0) if goal < 0 else np.int64(values[goal])
            if value == ILLEGAL:
                continue
            moves += 1
            if low <= goal < high:
                inside = True
            elif value & 1:
                best = min(best, value + 1)
            elif value == 0:
                longest = 255
            else:
                longest = max(longest, value + 1)
        wins[place - low] = best if best < 255 else 0
        if best < 255:
            most = max(most, best)
        elif moves == 0:
            side = squares_of(table, number, squares)
            if is_attacked(table, squares, side):
                values[place] = 1
                most = max(most, 1)
        elif not inside and longest < 255:
            values[place] = longest
            most = max(most, longest)
    return most


@njit
def lost_value(values: Any, table: Any, number: Any, squares: Any, out: Any) -> Any:
    """The value of a position of which all moves lead to wins of the other side; 0 if one does not."""
    longest = np.int64(0)
    for i in range(children(table, number, squares, out)):
        value = np.int64(0) if out[i] == DRAWN else np.int64(values[place_of(out[i])])
        if value == ILLEGAL:
            continue
        if value == 0 or value & 1:
            return np.int64(0)
        longest = max(longest, value + 1)
    return longest


@njit
def solve_table(values: Any, table: Any, low: Any, high: Any, wins: Any, most: Any) -> Any:
    """Fill in the values of a table, those of other tables being known; return the largest."""
    squares, out, checked = np.zeros(4, np.int64), np.zeros(MOST_MOVES, np.int64), np.zeros(MOST_MOVES, np.int64)
    marked, value = np.zeros(high - low, np.uint8), 1
    while value <= most:
        for place in range(low, high):
            if wins[place - low] == value and values[place] == 0:
                values[place] = value
        for place in range(low, high):
            if values[place] != value:
                continue
            here = table if place < STARTS[table + 1] else EN_PASSANT
            for i in range(parents(here, place - STARTS[here], squares, out)):
                parent = place_of(out[i])
                if values[parent] != 0:
                    continue
                if value & 1:
                    values[parent] = value + 1
                    most = max(most, value + 1)
                else:
                    marked[parent - low] = 1
        for place in range(low, high):
            if marked[place - low] == 0:
                continue
            marked[place - low] = 0
            if values[place] == 0:
                here = table if place < STARTS[table + 1] else EN_PASSANT
                lost = lost_value(values, here, place - STARTS[here], squares, checked)
                values[place] = lost
                most = max(most, lost)
        value += 1
    return most


def solve(names: list[str] | None = None, tell: Any = None) -> Any:
    """The values of all tables, or of the first up to the last of `names`, uint8, at STARTS."""
    count = len(TABLES) if names is None else 1 + max(map(TABLES.index, names))
    values = np.zeros(STARTS[-1] if count == len(TABLES) else STARTS[count], np.uint8)
    for table in range(count):
        low, high = STARTS[table], STARTS[table + 1]
        mark_legal(values, table, high - low)
        if table == BOTH_PAWNS:
            mark_legal(values, EN_PASSANT, EN_PASSANT_SIZE)
            high = STARTS[-1]
        wins = np.zeros(high - low, np.uint8)
        most = begin(values, table, STARTS[table + 1] - low, low, high, wins)
        if table == BOTH_PAWNS:
            most = max(most, begin(values, EN_PASSANT, EN_PASSANT_SIZE, low, high, wins))
        solve_table(values, table, low, high, wins, most)
        if tell:
            tell(table, values[low : STARTS[table + 1]])
    return values
