"""The client library's session against the real server, over local lines that break: whole matches in one process."""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random

import pytest

from tabiya.bots.client.choice import Choice
from tabiya.bots.client.session import Action, CloseConnection, MatchMissed, Notify, Send, Session, SessionConfig, Think
from tabiya.games.registry import names
from tabiya.protocol.messages import MatchEnded, Refused, Seek, ServerMessage, Turn
from tabiya.storage.records import MatchId
from tests.fakes.local_network import LocalClient
from tests.server.local_bots import Table, table
from tests.virtual_time import now_s, virtual_time

THINK_S = 0.4


class SessionBot:
    """A bot made of `tabiya.bots.client.session.Session` and a local line that breaks at random."""

    def __init__(self, there: Table, draw: Random, config: SessionConfig, breaks: float) -> None:
        self._there, self._draw, self._breaks = there, draw, breaks
        self.session = Session(config)
        self.finished = asyncio.Event()
        self.thought = Counter[tuple[int, int, str]]()
        self.ended: list[MatchEnded] = []
        self.missed = 0
        self._peer: LocalClient | None = None
        self._connect()

    def _connect(self) -> None:
        if not self.finished.is_set():
            self._peer = self._there.network.connect(
                self._hear, self._lost, delay_s=lambda: self._draw.uniform(0, 0.02)
            )
            self._peer.send(self.session.hello())

    def _lost(self, code: int, reason: str) -> None:
        self._peer = None
        self.session.lost()
        asyncio.get_running_loop().call_later(self._draw.uniform(0.5, 2), self._connect)

    def _hear(self, message: ServerMessage) -> None:
        self._carry_out(self.session.received(message, now_s()))
        if self._peer is not None and self._draw.random() < self._breaks:
            asyncio.get_running_loop().call_later(self._draw.uniform(0, 0.6), self._peer.cut)

    def _carry_out(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Send() if self._peer is not None:
                    self._peer.send(action.message)
                case Think():
                    self._think(action)
                case Notify(message=MatchEnded() as end):
                    self.ended.append(end)
                case Notify(message=Refused() as refused):
                    raise AssertionError(f"refused: {refused}")
                case MatchMissed():
                    self.missed += 1
                case CloseConnection():
                    self.finished.set()
                case _:
                    pass

    def _think(self, action: Think) -> None:
        turn: Turn = action.turn
        self.thought[turn.match, turn.ply, turn.position] += 1
        assert turn.legal_moves
        choice = Choice(self._draw.choice(turn.legal_moves))
        asyncio.get_running_loop().call_later(
            self._draw.uniform(0, THINK_S), lambda: self._carry_out(self.session.chosen(action.number, choice))
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("breaks", [0.0, 0.1])
@virtual_time
async def test_two_sessions_play_their_matches_whatever_breaks(seed: int, breaks: float) -> None:
    draw = Random(seed)
    async with table() as there:
        game = draw.choice(names())
        two = [
            SessionBot(there, draw, SessionConfig(name, seeks=(Seek(game=game, time="600+2"),), matches=3), breaks)
            for name in ("amy", "bea")
        ]
        async with asyncio.timeout(36_000):
            for bot in two:
                await bot.finished.wait()
        for bot in two:
            assert set(bot.thought.values()) == {1}, f"seed {seed}: a turn was thought about twice"
            assert len(bot.ended) + bot.missed == 3
        matches = [await there.store.match(MatchId(number)) for number in (1, 2, 3)]
        endings = [match.result.ending for match in matches if match is not None and match.result is not None]
        assert len(endings) == 3
        assert not set(endings) & {"time", "abandoned", "illegal_moves", "resignation"}, f"seed {seed}"
