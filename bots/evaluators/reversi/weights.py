"""The weights of the evaluation, where compiled code finds them: a megabyte (games/compiled/external_arrays.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tabiya.bots.evaluators.reversi.pattern_shapes import PHASES, SHAPES, STRIDE, mirrored_squares
from tabiya.games.compiled.external_arrays import ExternalArray

FILE = Path(__file__).with_name("weights.npz")
UNIT = 5  # hundredths of a disc: the file counts in these
LINKED = ExternalArray("tabiya_reversi_weights", PHASES * STRIDE)
WEIGHTS = LINKED.numbers  # in hundredths of a disc
weight = LINKED.number  # by its place


def representatives() -> Any:
    """For each weight of a phase the lower of two places: its own, and that of its mirror image."""
    found = np.arange(STRIDE)
    for shape in SHAPES:
        order = mirrored_squares(shape)
        if order is not None:
            numbers = np.arange(shape.size)
            mirrored = sum((numbers // 3**i % 3) * 3**j for i, j in enumerate(order))
            found[shape.start : shape.start + shape.size] = shape.start + np.minimum(numbers, mirrored)
    return found


def load(path: Path = FILE) -> None:
    """Read the weights of a file that `save` wrote."""
    own = representatives()
    with np.load(path) as file:
        for phase in range(PHASES):
            kept = np.zeros(STRIDE, np.int16)
            kept[np.unique(own)] = file["weights"][phase]
            WEIGHTS[phase * STRIDE : (phase + 1) * STRIDE] = kept[own] * UNIT


def save(path: Path, weights: Any) -> None:
    """Write weights (PHASES x STRIDE, hundredths of a disc), each pair of mirrored ones once, rounded to UNIT."""
    kept = np.asarray(weights)[:, np.unique(representatives())]
    np.savez_compressed(path, weights=np.round(kept / UNIT).astype(np.int16))
