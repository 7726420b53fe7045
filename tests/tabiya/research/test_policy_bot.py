"""A policy plays on a server."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from tabiya.bots.client import Bot, Turn, run_async
from tabiya.bots.client.events import silent
from tabiya.games.registry import names
from tabiya.research.encoding import Encoding
from tabiya.research.policy_bot import PolicyBot
from tests.live import live_server

OPTIONS: dict[str, dict[str, Any]] = {"nim": {"heaps": "9,9,9"}}  # matches begin from heaps near the usual ones


class First(Bot):
    needs_rules = False

    async def choose(self, turn: Turn) -> str:
        return turn.legal_moves[0]


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
async def test_a_policy_plays_a_match_with_nothing_but_legal_moves(game: str) -> None:
    seen = []

    def policy(observation: Any, mask: Any) -> int:
        seen.append((observation.shape, mask.shape))
        return int(np.argmax(mask))

    bot = PolicyBot(policy, game, **OPTIONS.get(game, {}))
    encoding = Encoding(bot._encoding.game.start(OPTIONS.get(game, {})))
    async with live_server() as server, asyncio.timeout(100):
        played, _ = await asyncio.gather(
            run_async(bot, server.websocket_url, seek=game, matches=1, listener=silent),
            run_async(First(), server.websocket_url, seek=game, matches=1, listener=silent),
        )
    assert (played.played, played.without_score) == (1, 0)
    assert set(seen) == {(encoding.shape, (encoding.actions,))}
