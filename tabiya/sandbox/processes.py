"""Stops and continues a program and its children by signals, where no control group can freeze them."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

MAX_PASSES = 8  # for processes that are started while others are being stopped


def descendants(pid: int) -> list[int]:
    """The processes below this one, as the system lists them now."""
    found, left = [], [pid]
    while left:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            for thread in Path(f"/proc/{left.pop()}/task").iterdir():
                children = [int(word) for word in (thread / "children").read_text().split()]
                found += children
                left += children
    return found


def stop(pid: int) -> None:
    """Stop the process, all below it, and its group. Raises nothing."""
    _signal_group(pid, signal.SIGSTOP)
    stopped: set[int] = set()
    for _ in range(MAX_PASSES):
        more = {pid, *descendants(pid)} - stopped
        if not more:
            return
        _signal(more, signal.SIGSTOP)
        stopped |= more


def go_on(pid: int) -> None:
    """Let them all go on. Raises nothing."""
    _signal_group(pid, signal.SIGCONT)
    _signal({pid, *descendants(pid)}, signal.SIGCONT)


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def _signal_group(pid: int, number: signal.Signals) -> None:
    """Signal its process group, if it leads one: orphaned processes are still in the group."""
    with contextlib.suppress(OSError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, number)
