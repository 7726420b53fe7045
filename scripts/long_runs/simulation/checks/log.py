"""Checks the server's log during a run: an error is a fault, unless the simulation caused it."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

from scripts.long_runs.simulation.environment.disk import Disk
from scripts.long_runs.simulation.environment.loop import SimulatedLoop
from scripts.long_runs.simulation.environment.waiting import Stop

OF_THE_DISK = re.compile(
    r"the (disk of the simulation|answer of the simulation's disk)|an earlier write of the same match"
)


class LogCapture(logging.Handler):
    """Gets the records of every logger during a run; those of a dead process are ignored."""

    def __init__(self, loop: SimulatedLoop, disk: Disk, fault: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._loop, self._disk, self._fault = loop, disk, fault

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Alone: nothing is printed meanwhile."""
        root = logging.getLogger()
        before, level, ours = root.handlers, root.level, logging.getLogger("tabiya")
        root.handlers, root.level = [self], logging.WARNING
        propagates, ours.propagate = ours.propagate, True
        try:
            yield
        finally:
            root.handlers, root.level, ours.propagate = before, level, propagates

    def emit(self, record: logging.LogRecord) -> None:
        """A record at or above a warning."""
        if record.levelno < logging.ERROR or not self._loop.acting_now.alive:
            return
        text, cause = record.getMessage(), record.exc_info[1] if record.exc_info else None
        if record.exc_info is None and self._disk.failures and OF_THE_DISK.search(text):
            return
        self._fault(f"logged as an error: {text}" + (f" ({cause!r})" if cause else ""))

    def loop_error(self, loop: object, context: dict[str, Any]) -> None:
        """Note an exception that was not caught."""
        if self._loop.acting_now.alive and not isinstance(context.get("exception"), Stop):
            self._fault(f"nobody has caught: {context.get('message')} {context.get('exception')!r}")
