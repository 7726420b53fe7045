"""64-bit sets: plain Python when interpreted, one machine instruction when compiled.

Numba types `uint64 op int64` as int64 and unifies both as float64, so every constant that meets a set is a
`uint64` from here (ZERO, ONE, `U(n)`), sets are compared with ZERO, and functions return ZERO, never 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from tabiya.games.compiled.jit import njit

U = np.uint64
ZERO = U(0)
ONE = U(1)


def popcount(b: Any) -> int:
    """Number of members of the set `b` (uint64)."""
    return int(b).bit_count()


def lsb(b: Any) -> int:
    """Index 0..63 of the lowest member; undefined for the empty set."""
    b = int(b)
    return (b & -b).bit_length() - 1


def msb(b: Any) -> int:
    """Index 0..63 of the highest member; undefined for the empty set."""
    return int(b).bit_length() - 1


@intrinsic
def _ctpop(typingctx: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@intrinsic
def _cttz(typingctx: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, 1))

    return types.int64(types.uint64), generate


@intrinsic
def _ctlz(typingctx: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], context.get_constant(types.boolean, 1))

    return types.int64(types.uint64), generate


@overload(popcount)
def _popcount(b: Any) -> Any:
    def compiled(b: Any) -> Any:
        return _ctpop(b)

    return compiled if b == types.uint64 else None


@overload(lsb)
def _lsb(b: Any) -> Any:
    def compiled(b: Any) -> Any:
        return _cttz(b)

    return compiled if b == types.uint64 else None


@overload(msb)
def _msb(b: Any) -> Any:
    def compiled(b: Any) -> Any:
        return 63 - _ctlz(b)

    return compiled if b == types.uint64 else None


@njit
def bit(square: Any) -> Any:
    """The set of one member, 0..63."""
    return ONE << U(square)


@njit
def mix(h: Any) -> Any:
    """A well mixed uint64 of a uint64 (the finaliser of splitmix64, Steele et al. 2014)."""
    h = (h ^ (h >> U(30))) * U(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> U(27))) * U(0x94D049BB133111EB)
    return h ^ (h >> U(31))
