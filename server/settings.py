"""Settings that an operator may change while the server runs. The store keeps them, so that a restart keeps them, too.

What is not among them is read once, at the start: addresses, files, secrets, and limits that connections have been
promised.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import to_builtins

from tabiya.server.config import ConfigError, ServerConfig
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.settings")

CHANGEABLE = (
    "time_control",
    "max_matches",
    "open_registration",
    "rate_guests",
    "illegal_limit",
    "stall_limit_ms",
    "abandon_ms",
    "open_wait_ms",
    "lag_credit",
    "hosted_at_once",
    "hosted_hours",
)
SETTING = "changed_settings"  # its name in the store


class RunningSettings:
    """The configuration that the server was started with, and what has been changed since.

    started_with, now: the two.  on_change: called with the new configuration, once it is kept.
    """

    def __init__(self, store: Store, started_with: ServerConfig) -> None:
        self._store, self.started_with, self.now = store, started_with, started_with
        self.on_change: Callable[[ServerConfig], None] = lambda config: None
        self._changed: dict[str, Any] = {}
        self._changing = asyncio.Lock()

    async def load(self) -> ServerConfig:
        """Load the stored changes; returns the configuration with them. Raises StoreError."""
        text, before = await self._store.setting(SETTING), self._changed
        try:
            kept = msgspec.json.decode(text or "{}", type=dict[str, Any])
            self._changed = {name: value for name, value in kept.items() if name in CHANGEABLE}
            self.now = _with(self.started_with, self._changed)
        except (ValueError, ConfigError) as error:  # of a version whose settings were others
            log.warning("changed settings cannot be used, those of the start hold: %s", error)
            self._changed = {}
        if self._changed and self._changed != before:
            log.info("settings that were changed while the server ran: %s", self._changed)
        return self.now

    async def change(self, changes: Mapping[str, Any]) -> None:
        """Change settings; None restores the value from the start. Raises ConfigError, StoreError.

        What runs goes on under the settings that it began with.
        """
        async with self._changing:  # two at once would each forget what the other has changed
            changed = {name: value for name, value in (self._changed | dict(changes)).items() if value is not None}
            now = _with(self.started_with, changed)
            await self._store.put_setting(SETTING, msgspec.json.encode(changed).decode())
            self._changed, self.now = changed, now
            self.on_change(now)


def _with(config: ServerConfig, changed: Mapping[str, Any]) -> ServerConfig:
    try:
        return msgspec.convert(to_builtins(config) | dict(changed), ServerConfig)
    except msgspec.ValidationError as error:
        raise ConfigError(str(error).partition(" - at ")[0]) from None
