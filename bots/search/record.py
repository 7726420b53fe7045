"""The record that kernels of a search read and write: allocated once, passed as a pointer."""

from __future__ import annotations

from typing import Any

import numpy as np

HISTORY_KEYS = 256  # positions before the root that a repetition can reach back to
EVERY_NODES = 255  # clock and node limit are read when nodes & EVERY_NODES == 0


def new_record(dtype: np.dtype[Any]) -> Any:
    """A zeroed record of its own memory, with fields as attributes compiled and interpreted alike."""
    return np.zeros(1, dtype).view(np.recarray)[0]
