"""Processes of one command: they share its work and end with it."""

from __future__ import annotations

import os
import re
import time

import psutil
import pytest

from tabiya.errors import UserError
from tabiya.processes.parallel import parallel_processes


def test_they_work_and_end_with_the_command() -> None:
    with parallel_processes(2) as pool:
        assert list(pool.map(abs, range(-9, 0))) == list(range(9, 0, -1))
        process = psutil.Process(pool.submit(os.getpid).result())
    assert not psutil.wait_procs([process], timeout=30)[1]


def test_one_that_is_killed_is_said_while_another_is_at_work() -> None:
    def work() -> None:
        with parallel_processes(2, "--workers") as pool:
            pool.submit(time.sleep, 600)
            pool.submit(os.abort)
            pool.submit(abs, 0).result()  # an executor looks for dead processes when there is something new

    with pytest.raises(UserError, match=re.escape("ended from outside (too little memory? --workers 1 needs less)")):
        work()


def test_after_an_error_nobody_waits_for_what_was_begun() -> None:
    begun = list[psutil.Process]()

    def work() -> None:
        with parallel_processes(1) as pool:
            begun.append(psutil.Process(pool.submit(os.getpid).result()))
            pool.submit(time.sleep, 600)
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert not psutil.wait_procs(begun, timeout=30)[1]
