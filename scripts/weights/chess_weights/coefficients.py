"""What each weight adds to the evaluation of a position: found by changing it a little, in compiled code.

The evaluation is linear in nearly all weights, so nearly all coefficients are exact, whatever the terms are; those of
the danger to kings, which grows with a square, hold near the weights they were taken at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tabiya.bots.evaluators.chess.classical import blend, chances, evaluate_chess, terms
from tabiya.bots.evaluators.chess.endings import ALL
from tabiya.bots.evaluators.chess.piece_square import EARLIEST
from tabiya.bots.evaluators.chess.weights import DANGER, PAIRS, WEIGHTS_TYPE, early_of

STEP = np.int64(8)  # by how much a weight of the danger is changed, up and down
BOTH = np.int64((1 << 32) + 1)  # one more early and late
PAIR_NUMBERS = sum(int(np.prod(shape)) for shape in PAIRS.values())
DANGER_NUMBERS = sum(int(np.prod(shape)) for shape in DANGER.values())
assert WEIGHTS_TYPE.itemsize == 8 * (PAIR_NUMBERS + DANGER_NUMBERS)


@njit(nogil=True)  # type: ignore[untyped-decorator]
def derive(states: Any, weights: Any, flat: Any, pairs: Any, counts: Any, dangers: Any, facts: Any) -> None:
    """Fill, for each position and for White: counts[i, j], how often pair j counts; dangers[i, j], the derivative.

    weights: a record.  flat: its numbers, the same memory; they are as before afterwards.  pairs: how many of them are
    pairs.  facts[i]: the value, the share of the early and the share of the late sum in it.
    """
    for i in range(states.size):
        state = states[i]
        sign = np.int64(1 - 2 * state.side)
        both, earliness = terms(state, weights)
        facts[i, 0] = sign * evaluate_chess(state, weights)
        share = chances(state, blend(state, both, earliness)) / ALL
        facts[i, 1] = share * earliness / EARLIEST
        facts[i, 2] = share - facts[i, 1]
        for j in range(pairs):
            flat[j] += BOTH
            changed, _ = terms(state, weights)
            flat[j] -= BOTH
            counts[i, j] = sign * early_of(changed - both)
        for j in range(dangers.shape[1]):
            flat[pairs + j] += STEP
            more, _ = terms(state, weights)
            flat[pairs + j] -= 2 * STEP
            less, _ = terms(state, weights)
            flat[pairs + j] += STEP
            dangers[i, j] = sign * early_of(more - less) / (2 * STEP)


def coefficients(states: Any, record: Any) -> tuple[Any, Any, Any]:
    """What `derive` fills, for these positions: counts, dangers and facts. record: an array of one."""
    counts = np.zeros((states.size, PAIR_NUMBERS), np.int8)
    dangers = np.zeros((states.size, DANGER_NUMBERS), np.float32)
    facts = np.zeros((states.size, 3), np.float32)
    derive(states, record[0], record.view(np.int64), np.int64(PAIR_NUMBERS), counts, dangers, facts)
    return counts, dangers, facts
