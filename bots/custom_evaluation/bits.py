"""Sets of squares for authors: as games/compiled/bits.py, for numbers of any kind, in Python and compiled.

`state.mine & 255` is a signed number to the compiler; here it is taken for the set that it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload

from tabiya.games.compiled import bits
from tabiya.games.compiled.bits import U

ALL = 0xFFFF_FFFF_FFFF_FFFF


def popcount(members: Any) -> int:
    """How many members a set has."""
    return bits.popcount(int(members) & ALL)


def lsb(members: Any) -> int:
    """The lowest member, 0..63; undefined for the empty set."""
    return bits.lsb(int(members) & ALL)


def msb(members: Any) -> int:
    """The highest member, 0..63; undefined for the empty set."""
    return bits.msb(int(members) & ALL)


def _compiles(function: Callable[..., Any], on_sets: Callable[..., Any]) -> None:
    def choose(members: Any) -> Any:
        def compiled(members: Any) -> Any:
            return on_sets(U(members))

        return compiled if isinstance(members, types.Integer) else None

    overload(function)(choose)


_compiles(popcount, bits.popcount)
_compiles(lsb, bits.lsb)
_compiles(msb, bits.msb)
