"""Several processes that share the work of one command."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from tabiya.errors import UserError
from tabiya.processes.die_with_parent import die_with_parent


@contextmanager
def parallel_processes(count: int, option: str = "--processes", *, nice: int = 0) -> Iterator[ProcessPoolExecutor]:
    """An executor with this many processes. After an error they end at once, in the middle of their work.

    option: with which the command's user says how many.  nice: so much lower is their priority, as of `os.nice`.
    Raises UserError if one is ended from outside.
    """
    # on every system: a forked child would inherit locks that other threads hold
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(count, context, _begin, (os.getpid(), nice)) as pool:
            try:
                yield pool
            except BaseException:  # also when the reader is gone
                pool.shutdown(wait=False, cancel_futures=True)
                for child in multiprocessing.active_children():
                    child.kill()  # in the middle of its work it would not listen
                raise
    except BrokenProcessPool:
        raise UserError(
            f"a process of this command was ended from outside (too little memory? {option} 1 needs less)"
        ) from None


def _begin(parent: int, nice: int) -> None:
    die_with_parent(parent)
    if hasattr(os, "nice"):
        os.nice(nice)
    # a terminal sends Ctrl-C to all processes of the command, and each would print a traceback
    signal.signal(signal.SIGINT, signal.SIG_IGN)
