"""The client on a real server: whole matches in every game, several at once, through cuts."""

from __future__ import annotations

import asyncio
from itertools import cycle
from random import Random

import pytest

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.connection import Client
from tabiya.bots.client.events import BotError, Disconnected, Event, Note
from tabiya.bots.client.run import run_async, run_config
from tabiya.bots.client.turn import Turn
from tabiya.games.registry import names
from tests.live import live_server

pytestmark = pytest.mark.slow


class Lot(Bot):
    """Any legal move."""

    needs_rules = False

    def __init__(self, name: str, seed: int) -> None:
        self.name, self._random = name, Random(seed)
        self.asked: list[tuple[int, int]] = []

    async def choose(self, turn: Turn) -> str:
        self.asked.append((turn.match, turn.ply))
        return self._random.choice(turn.legal_moves)


class ByTheRules(Lot):
    """Any legal move by its own rules; the server's list must be the same."""

    needs_rules = True

    async def choose(self, turn: Turn) -> str:
        assert set(turn.legal_moves) == set(turn.position().legal_moves())
        assert turn.position().text() == turn.position_text
        return await super().choose(turn)


@pytest.mark.parametrize(("game", "encoding"), list(zip(names(), cycle(["json", "msgpack"]), strict=False)))
async def test_two_bots_play_a_match_in_every_game(game: str, encoding: str) -> None:
    events: list[Event] = []
    async with live_server() as server:
        one, two = await asyncio.gather(
            *(
                run_async(bot, server.websocket_url, seek=game, matches=1, encoding=encoding, listener=events.append)
                for bot in (ByTheRules("amy", 1), ByTheRules("bea", 2))
            )
        )
    assert (one.played, one.without_score) == (two.played, two.without_score) == (1, 0)
    assert (one.won, one.drawn) == (two.lost, two.drawn)
    assert not [event for event in events if isinstance(event, BotError | Note)]


class Unlucky(Lot):
    """Loses its connection at every twentieth turn, while it thinks."""

    client: Client

    async def choose(self, turn: Turn) -> str:
        move = await super().choose(turn)
        if len(self.asked) % 20 == 0 and self.client._socket is not None:
            self.client._socket.transport.abort()
        await asyncio.sleep(0)
        return move


async def test_many_matches_at_once_through_cut_connections_are_each_asked_about_once_a_ply() -> None:
    bots = [Unlucky("amy", 3), Unlucky("bea", 4)]
    events: list[Event] = []
    async with live_server() as server:
        for bot in bots:
            _, token = await server.accounts.register(bot.name, "")
            plan = run_config(bot, server.websocket_url, token=token, seek="reversi", matches=4, at_once=4)
            bot.client = Client(bot, plan, events.append, random=Random(5))
        summaries = await asyncio.wait_for(asyncio.gather(*(bot.client.run() for bot in bots)), 60)
    assert all(summary.played == 4 for summary in summaries)
    assert all(summary.without_score <= 1 for summary in summaries)  # one that ended while its bot was away
    assert not [event for event in events if isinstance(event, BotError)]
    assert len([event for event in events if isinstance(event, Disconnected)]) > 4
    for bot in bots:
        assert len(set(bot.asked)) == len(bot.asked)
