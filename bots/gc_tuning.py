"""Settings of Python's garbage collector for processes in which a clock runs or many games are played."""

from __future__ import annotations

import gc


def freeze_heap() -> None:
    """Leave what was loaded to no later collection: with a compiler loaded one takes 90 ms of the clock."""
    gc.collect()
    gc.freeze()


def collect_rarely() -> None:
    """Collect less often than Python does: moves and games leave few cycles, and looking for some took a tenth."""
    gc.set_threshold(50_000, 20, 100)
