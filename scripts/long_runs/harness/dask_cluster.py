"""A Dask cluster on this machine: a scheduler and workers, each a process that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from distributed import Client

READY_S = 100.0
POLL_S = 0.01


class DaskCluster:
    """What `dask scheduler` and `dask worker` start, without a nanny that would start a killed worker again."""

    def __init__(self, folder: Path, workers: int) -> None:
        """folder: is made, for what they write."""
        self._folder, self._file = folder, folder / "scheduler.json"
        folder.mkdir(parents=True, exist_ok=True)
        self._file.unlink(missing_ok=True)
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = "dask://" + self._address().removeprefix("tcp://")
        for _ in range(workers):
            self.start_worker()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start_worker(self) -> None:
        """One worker more."""
        words = ("--no-nanny", "--nthreads", "1", "--local-directory", str(self._folder))
        self.workers.append(self._start("worker", *words))

    def wait_for_workers(self) -> None:
        """Wait until the scheduler knows all workers."""
        make_client: Any = Client  # which says that it is typed
        with make_client(self.address.removeprefix("dask://"), set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=READY_S)

    def end_worker(self, place: int, number: signal.Signals) -> None:
        """One less. number: SIGTERM lets it say goodbye, SIGKILL does not."""
        worker = self.workers.pop(place)
        worker.send_signal(number)
        worker.wait()

    def stop(self) -> None:
        """Kill everything."""
        for process in (*self.workers, self.scheduler):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        to_scheduler = ["--no-dashboard", "--scheduler-file", str(self._file)]
        with (self._folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{what}", *to_scheduler, *words],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _address(self) -> str:
        until = time.monotonic() + READY_S
        while time.monotonic() < until and self.scheduler.poll() is None:
            with contextlib.suppress(OSError, ValueError, KeyError):  # not there yet, or not all of it
                return str(json.loads(self._file.read_text())["address"])
            time.sleep(POLL_S)
        raise RuntimeError(f"no scheduler was ready: see {self._folder}")
