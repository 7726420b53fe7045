"""Settings of Python's garbage collector for processes in which a clock runs or many games are played."""

from __future__ import annotations

import gc


def freeze_heap() -> None:
    """Leave what was loaded to no later collection: with a compiler loaded one takes 90 ms of the clock."""
    gc.collect()
    gc.freeze()


def collect_after_loading() -> None:
    """Let a server load, which leaves no cycles in 190,000 objects; looking for some took a fifteenth of its start.

    Where it compiles, too, it collects now and then. `collect_rarely` is for afterwards.
    """
    gc.set_threshold(250_000, 20, 100)


def collect_rarely() -> None:
    """Collect less often than Python does: moves and games leave few cycles, and looking for some took a tenth."""
    gc.set_threshold(50_000, 20, 100)
