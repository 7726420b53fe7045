"""Tells systemd, where that has started this process, when it is ready and that its event loop goes on (sd_notify)."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Mapping


class ServiceManager:
    """Reports to the service manager that started this process; without one nothing is sent."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        # a name that begins with @ is none of the file system
        self._address = environment.get("NOTIFY_SOCKET", "").replace("@", "\0", 1)
        self._patience_s = int(environment.get("WATCHDOG_USEC") or 0) / 1e6

    def notify(self, *states: str) -> None:
        """Send states, such as `READY=1` and `STATUS=…`."""
        if self._address and hasattr(socket, "AF_UNIX"):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                line.setblocking(False)  # a manager that does not listen must not hold up the event loop
                line.sendto("\n".join(states).encode(), self._address)

    def keep_alive(self) -> None:
        """Say from now on that the event loop goes on, twice as often as it is asked for; where it is."""
        if self._address and self._patience_s:
            self.notify("WATCHDOG=1")
            asyncio.get_running_loop().call_later(self._patience_s / 2, self.keep_alive)
