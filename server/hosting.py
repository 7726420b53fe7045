"""Programs that a server runs for bots, as the server sees it: who starts it may give it something that does.

The server runs no program of anybody; `tabiya serve --hosted` gives it what does so, behind walls.
"""

from __future__ import annotations

from typing import Protocol

from tabiya.storage.program_records import ProgramRecord
from tabiya.storage.records import BotRecord


class ProgramRefused(ValueError):
    """A program cannot be taken; the text is one sentence for its author."""


class Hosting(Protocol):
    """Takes programs, examines them and lets them play.

    start: a program to begin with, as text.
    """

    start: str

    async def hand_in(self, bot: BotRecord, game: str, file_name: str, data: bytes) -> ProgramRecord:
        """Keep a program as the bot's next version and examine it; it plays if it passes. Raises ProgramRefused."""

    async def use(self, bot: BotRecord, program: ProgramRecord | None) -> None:
        """Let this version play from now on, or none."""

    async def reload(self) -> None:
        """Look anew at which programs may play, as operators have changed that."""

    def doing(self, program: ProgramRecord) -> str:
        """What happens to a version now, in a few words; "" for nothing."""

    async def close(self) -> None:
        """End all programs."""
