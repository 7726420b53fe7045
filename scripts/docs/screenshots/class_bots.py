"""Eight bots of a class and one for practice. They move at once; with long clocks some stop in mid-game."""

from __future__ import annotations

import asyncio
from typing import NamedTuple, Self

from msgspec.structs import replace

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.connection import Client
from tabiya.bots.client.run import run_config
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.api import MatchInfo, MoveReply, Player, info_of, request_of
from tabiya.bots.players.build import build_player
from tabiya.protocol.messages import MatchEnded, MatchStarted

PLAYERS = {
    "Deep Blue Whale": "pvs:5",
    "Corner Hunter": "pvs:4",
    "Three Plies": "alphabeta:3",
    "Two Plies": "alphabeta:2",
    "Grasshopper": "minimax:2",
    "Magpie": "greedy",
    "Second Try": "alphabeta:1",
    "Coin Toss": "random",
}
PARTNER = "Sparring Partner"  # in no tournament, because a bot that waits for a tournament game takes no challenge
LONG = "300+3"
"""The time control of games that stop once enough moves are played."""


class Pace(NamedTuple):
    """Where games with long clocks stop: of so many games one, after so many plies and some more from game to game."""

    one_of: int = 4
    plies: int = 14
    more: int = 5

    def stops(self, turn: Turn) -> bool:
        """Whether the bot to move goes on thinking forever."""
        return turn.time_control == LONG and turn.match % self.one_of == 0 and turn.ply >= self._last(turn.match)

    def _last(self, match: int) -> int:
        return self.plies + self.more * (match // self.one_of % 5)


class ClassBot(Bot):
    """A player of ours under a name of its own, a fresh one for each match."""

    version = "1.0"

    def __init__(self, name: str, player: str, pace: Pace, standing: set[int]) -> None:
        """standing: the matches that have stopped; this bot adds to it."""
        self.name, self._player, self._pace, self._standing = name, player, pace, standing
        self._players: dict[int, Player] = {}

    def match_started(self, match: MatchStarted) -> None:
        player = self._players[match.match] = build_player(self._player, table_mb=1.0)
        player.new_match(MatchInfo(match=match.match, game=match.game, seed=match.match))

    def match_ended(self, match: MatchEnded) -> None:
        self._players.pop(match.match, None)

    async def choose(self, turn: Turn) -> Choice:
        """The player's move."""
        if self._pace.stops(turn):
            self._standing.add(turn.match)
            await asyncio.Event().wait()
        reply = await asyncio.to_thread(self._think, turn)
        return Choice(reply.move, info_of(reply))

    def _think(self, turn: Turn) -> MoveReply:
        request = replace(request_of(turn.message), seed=1000 * turn.match + turn.ply)
        return self._players[turn.match].choose(request)


class ClassRoom:
    """The bots, connected to a server while the context is open. standing: the matches that have stopped."""

    def __init__(self, address: str, players: dict[str, str], pace: Pace) -> None:
        self.standing: set[int] = set()
        bots = [ClassBot(name, player, pace, self.standing) for name, player in (players | {PARTNER: "pvs:3"}).items()]
        self._clients = [Client(bot, run_config(bot, address, at_once=8), lambda event: None) for bot in bots]
        self._tasks: list[asyncio.Task[object]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(client.run()) for client in self._clients]
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
