"""A server that hosts programs, as far as `ProgramLeases` asks it anything."""

from __future__ import annotations

from tabiya.hosting.turns import Queue, next_programs
from tabiya.storage.program_records import ProgramRecord
from tabiya.storage.records import BotId


class FakeHostingServer:
    """there, playing, disabled: bots that are connected, have a game, may not run.

    gone: that get no game any more.  entered: that play in a tournament, each with whom it is to meet.  lent: tokens by
    their hash.
    """

    def __init__(self) -> None:
        self.there = set[BotId]()
        self.playing = set[BotId]()
        self.disabled = set[BotId]()
        self.gone = set[BotId]()
        self.entered: dict[BotId, frozenset[BotId]] = {}
        self.lent: dict[str, BotId] = {}

    def is_disabled(self, bot: BotId) -> bool:
        return bot in self.disabled

    def bot_is_there(self, bot: BotId) -> bool:
        return bot in self.there

    def bot_plays(self, bot: BotId) -> bool:
        return bot in self.playing

    def is_entered(self, bot: BotId) -> bool:
        return bot in self.entered

    def opponents(self, bot: BotId) -> frozenset[BotId]:
        return self.entered[bot]

    def withdraw_seeks(self, bot: BotId) -> None:
        self.gone.add(bot)

    async def name_of(self, bot: BotId) -> str:
        return f"bot {bot}"

    def accept_token(self, token_hash: str, bot: BotId) -> None:
        self.lent[token_hash] = bot

    def take_back(self, token_hash: str) -> None:
        self.lent.pop(token_hash, None)

    def next_programs(self, queue: Queue) -> list[ProgramRecord]:
        return next_programs(queue)
