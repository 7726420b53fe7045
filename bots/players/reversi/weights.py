"""The weights of the evaluation, where compiled code finds them.

A global array would be frozen into the machine code, a megabyte of it for every function that reads it. Instead the
compiler is told a name for the array's address, as for a function of another library: cached machine code refers to
the name, and what stands there can change without compiling again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from bots.players.reversi.shapes import PHASES, SHAPES, STRIDE, mirrored_squares

FILE = Path(__file__).with_name("weights.npz")
SYMBOL = "tabiya_reversi_weights"
UNIT = 5  # hundredths of a disc: the file counts in these
WEIGHTS = np.zeros(PHASES * STRIDE, np.int16)  # in hundredths of a disc; never moved, since its address is known

llvm.add_symbol(SYMBOL, WEIGHTS.ctypes.data)


def representatives() -> Any:
    """For each weight of a phase the place of the one it equals because a mirror exchanges them, the lower of both."""
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


def weight(place: Any) -> int:
    """The weight at a place, in hundredths of a disc."""
    return int(WEIGHTS[place])


@intrinsic
def _weight(typingctx: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = builder.module.globals.get(SYMBOL)
        if address is None:
            array = ir.ArrayType(ir.IntType(16), WEIGHTS.size)
            address = cgutils.add_global_variable(builder.module, array, SYMBOL)
        pointer = builder.gep(address, [ir.Constant(ir.IntType(64), 0), args[0]])
        return builder.sext(builder.load(pointer), ir.IntType(64))

    return types.int64(types.int64), generate


@overload(weight)
def _compiled_weight(place: Any) -> Callable[[Any], Any]:
    def compiled(place: Any) -> Any:
        return _weight(place)

    return compiled
