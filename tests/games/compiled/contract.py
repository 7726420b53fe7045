"""A contract of one method, and a compiled function that calls it."""

from __future__ import annotations

from typing import Any

from numba import njit

from tabiya.games.compiled.kernel_types import Kernel, compiled


class Numbered(Kernel):
    """Kernels that say a number."""

    @compiled
    def number(self, extra: Any) -> Any:
        """This kernel's number and `extra`."""
        raise NotImplementedError


@njit  # type: ignore[untyped-decorator]
def ask(kernel: Any, extra: Any) -> Any:
    """The number of any kernel."""
    return kernel.number(extra)
