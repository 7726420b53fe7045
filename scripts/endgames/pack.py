"""The file that the engine reads, from the values of all positions. Its shape: bots/evaluators/chess/bitbase.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from scripts.endgames.jit import njit
from scripts.endgames.retrograde import ILLEGAL, STARTS
from tabiya.bots.evaluators.chess.bitbase import PARTS
from tabiya.bots.evaluators.chess.endgame_index import DISTANCES, PLANES, TABLES
from tabiya.games.compiled.bits import ZERO

BLOCK = 64  # sets
VAGUE = 1  # moves beside a limit where a plane need not be right: so more sets are alike


@njit
def shared_sets(sets: Any, known: Any, ids: Any, kept: Any, cares: Any) -> Any:
    """Write which of `kept` each set is, to be filled as well; return how many there are.

    known: the squares of each set that must be right.  cares: those of the kept ones.  A kept set that differs from a
    new one on no square that matters to both takes it in, the one before first, then the newest.
    """
    count, last = 1, 0
    for i in range(sets.size):
        if known[i] == ZERO:
            ids[i] = last
            continue
        found = -1
        if (kept[last] ^ sets[i]) & known[i] & cares[last] == ZERO:
            found = last
        else:
            for k in range(count - 1, -1, -1):
                if (kept[k] ^ sets[i]) & known[i] & cares[k] == ZERO:
                    found = k
                    break
        if found < 0:
            found, count = count, count + 1
        kept[found] |= sets[i] & known[i]
        cares[found] |= known[i]
        ids[i] = last = found
    return count


def as_sets(members: Any) -> Any:
    """Sets of 64 squares of as many truth values."""
    return np.packbits(members, bitorder="little").view("<u8")


def packed(members: Any, known: Any) -> list[Any]:
    """The blocks' numbers, the blocks, the sets of one table and winner; arrays of 16 bits."""
    sets, matter = as_sets(members), as_sets(known)
    ids, kept, cares = np.zeros(len(sets), np.int64), np.zeros_like(sets), np.zeros_like(sets)
    kept = kept[: shared_sets(sets, matter, ids, kept, cares)]
    blocks, first, numbers = np.unique(ids.reshape(-1, BLOCK), axis=0, return_index=True, return_inverse=True)
    assert max(len(kept), len(blocks)) < 2**16
    order = np.argsort(first)  # as they occur, which compresses better
    return [np.argsort(order)[numbers].astype("<u2"), blocks[order].astype("<u2").ravel(), kept.view("<u2")]


def winners(values: Any) -> tuple[Any, Any, Any]:
    """From where White wins, from where Black does, and what is a position, of a table's values."""
    legal, mover, half = values != ILLEGAL, (values > 0) & (values % 2 == 0), len(values) // 2
    other = legal & (values % 2 == 1)
    return (
        np.concatenate([mover[:half], other[half:]]),
        np.concatenate([other[:half], mover[half:]]),
        legal,
    )


def planes_of(table: int, values: Any) -> list[tuple[Any, Any]]:
    """The planes of a table, in the order of PLANES: what is in them, and of what that must be right."""
    white, black, legal = winners(values)
    moves, limits = values.astype(np.int64) // 2, DISTANCES.get(TABLES[table], ())
    near = [(white & (moves <= most), white & (abs(2 * (moves - most) - 1) > 2 * VAGUE)) for most in limits]
    return [(white, legal), (black, legal & ~white), *near]


def file_of(values: Any) -> Any:
    """The whole file, 16-bit numbers."""
    planes = [planes_of(table, values[STARTS[table] : STARTS[table + 1]]) for table in range(len(TABLES))]
    in_order = [plane for of_table in planes for plane in of_table[:2]]
    in_order += [plane for name in DISTANCES for plane in planes[TABLES.index(name)][2:]]
    head = np.zeros((len(PLANES), PARTS // 2), "<u4")
    parts, place = [], head.size * 2
    for row, (members, known) in zip(head, in_order, strict=True):
        if members.any():
            for i, part in enumerate(packed(members, known)):
                row[i] = place
                parts.append(part)
                place += len(part)
    return np.concatenate([head.view("<u2").ravel(), *parts])
