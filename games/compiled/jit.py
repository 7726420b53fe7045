"""How the rules' functions are compiled: as Numba does it, without an entry for C that nobody calls.

It saves an eighth of the time that the rules of chess take to compile for the first time.
"""

from __future__ import annotations

import functools

import numba

njit = functools.partial(numba.njit, no_cfunc_wrapper=True)
