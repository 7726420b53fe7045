"""What a player of a match does before a game of its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

from tabiya.bots.client.bot import Bot
from tabiya.bots.pool.pool_bot import PoolBot
from tabiya.match.participants import ClientParticipant


class OwnBot(Bot):
    pass


def participant(bot: Bot) -> ClientParticipant:
    server, plan = (
        SimpleNamespace(websocket_url="ws://127.0.0.1:1"),
        SimpleNamespace(concurrency=1, emergency_moves=False),
    )
    return ClientParticipant(bot, cast(Any, server), cast(Any, plan), lambda event: None)


async def test_no_game_begins_before_a_bot_has_a_worker_again() -> None:
    bot, pool = PoolBot("random", games=("nim",)), AsyncMock()
    bot._pool = pool
    await participant(bot).prepare()
    pool.ready.assert_awaited_once()


async def test_a_bot_without_workers_is_always_ready() -> None:
    await participant(OwnBot()).prepare()
