"""The operators' rules for hosted programs; stored, so that a restart keeps them."""

from __future__ import annotations

import asyncio
import logging

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tabiya.storage.records import BotId
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.programs")

SETTING = "hosted_programs"  # its name in the store


class StoredProgramRules(Struct, frozen=True):
    """deadline: after which no version is taken, since 1970.  disabled: whose programs neither play nor change."""

    deadline: float | None = None
    disabled: frozenset[BotId] = frozenset()


class ProgramRules:
    """The rules of one server."""

    def __init__(self, store: Store) -> None:
        self._store, self._now, self._changing = store, StoredProgramRules(), asyncio.Lock()

    @property
    def deadline(self) -> float | None:
        """When the last version is taken, in seconds since 1970."""
        return self._now.deadline

    def is_disabled(self, bot_id: BotId) -> bool:
        """Whether the programs of a bot neither play nor change."""
        return bot_id in self._now.disabled

    async def load(self) -> None:
        """Load the stored rules. Raises StoreError."""
        text = await self._store.setting(SETTING)
        try:
            self._now = msgspec.json.decode(text or "{}", type=StoredProgramRules)
        except ValueError as error:
            log.warning("the rules for hosted programs cannot be read, none holds: %s", error)

    async def set_deadline(self, at: float | None) -> None:
        """Accept no version after this time; None: at any time. Raises StoreError."""
        async with self._changing:  # two at once would each forget what the other has changed
            await self._keep(replace(self._now, deadline=at))

    async def disable(self, bot_id: BotId) -> None:
        """Forbid the programs of a bot to play and to change. Raises StoreError."""
        async with self._changing:
            await self._keep(replace(self._now, disabled=self._now.disabled | {bot_id}))

    async def enable(self, bot_id: BotId) -> None:
        """Allow them to play and to change again. Raises StoreError."""
        async with self._changing:
            await self._keep(replace(self._now, disabled=self._now.disabled - {bot_id}))

    async def _keep(self, rules: StoredProgramRules) -> None:
        await self._store.put_setting(SETTING, msgspec.json.encode(rules).decode())
        self._now = rules
