"""The scene of the pictures: a class's finished round robin and knockout, and a tournament that still runs."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from scripts.docs.screenshots.class_bots import LONG, PLAYERS, ClassRoom, Pace
from tabiya.api_client.api import Api
from tabiya.api_client.settings import ClientSettings
from tabiya.explorer.explorer import Explorer
from tabiya.processes.server_process import warm_rules
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig

QUICK = "300+2"  # long enough for a busy machine; games with LONG stop
POLL_S = 0.2
WITHIN_S = 900.0


class ClassSize(NamedTuple):
    """How much is played. players: by name.  running: games of the last tournament that stand still."""

    players: dict[str, str]
    running: int
    pace: Pace


WHOLE = ClassSize(PLAYERS, 6, Pace())
SMALL = ClassSize({name: PLAYERS[name] for name in ("Corner Hunter", "Two Plies", "Magpie", "Coin Toss")}, 2, Pace(1))


class Scene(NamedTuple):
    """A server with games. pages: its address.  match: a path, in the middle of a game.  running: a tournament."""

    pages: str
    match: str
    running: int


@asynccontextmanager
async def scene(size: ClassSize = WHOLE) -> AsyncIterator[Scene]:
    """The server and its class while the context is open. Takes about two minutes to play, the small one seconds."""
    await asyncio.to_thread(warm_rules)
    with tempfile.TemporaryDirectory(prefix="tabiya-pictures-") as folder:
        config = ServerConfig(port=0, pages_port=0, database_url=str(Path(folder) / "class.db"), rate_guests=True)
        server = TabiyaServer(config)
        server.explorer = Explorer(processes=1)
        await server.start()
        try:
            pages = f"http://127.0.0.1:{server.pages_port}"
            async with ClassRoom(pages, size.players, size.pace) as room:
                yield await _play(pages, room, size)
        finally:
            await server.stop()


async def _play(pages: str, room: ClassRoom, size: ClassSize) -> Scene:
    api = _Orders(pages, list(size.players))
    await _until(lambda: _all_connected(api))
    knockout = await api.tournament("Knockout evening", "chess", format="knockout", rounds=1, seeding="listed")
    round_robin = await api.tournament("Spring cup", "reversi", rounds=1, concurrency=4)
    for number in (knockout, round_robin):
        await _until(lambda number=number: _is_over(api, number))
    running = await api.tournament(
        "Friday league", "reversi", rounds=1, seed=8, time_control=LONG, concurrency=size.running, per_bot=2
    )

    async def stands_still() -> bool:
        return len(room.standing) >= size.running

    await _until(stands_still)
    return Scene(pages, await _in_the_longest_won_game(api, knockout), running)


async def _in_the_longest_won_game(api: _Orders, tournament: int) -> str:
    games = (await api.get(f"/tournaments/{tournament}"))["games"]
    matches = [await api.get(f"/matches/{game['match']}") for game in games]
    won = [match for match in matches if match["result"]["winner"] is not None]
    longest = max(won, key=lambda match: len(match["moves"]))
    middle = len(longest["moves"]) // 2
    # where a score and an expected line are shown, which the only move of a position has not
    after = [move["ply"] + 1 for move in longest["moves"] if move["expected"]]
    return f"/matches/{longest['id']}?ply={min(after, key=lambda ply: abs(ply - middle))}"


class _Orders:
    """The server's API, asked in threads: the server itself runs in this loop."""

    def __init__(self, pages: str, bots: list[str]) -> None:
        self.bots = bots
        self._api = Api(ClientSettings(pages))

    async def get(self, path: str) -> Any:
        return await asyncio.to_thread(self._api.get, path)

    async def tournament(self, name: str, game: str, **terms: Any) -> int:
        """A tournament of all bots, begun."""
        order = {"name": name, "game": game, "bots": self.bots, "time_control": QUICK, "seed": 5} | terms
        return int((await asyncio.to_thread(self._api.post, "/tournaments", order))["id"])


async def _all_connected(api: _Orders) -> bool:
    connected: int = sum(bot["connected"] for bot in (await api.get("/bots"))["bots"])
    return connected == len(api.bots) + 1


async def _is_over(api: _Orders, number: int) -> bool:
    status: str = (await api.get(f"/tournaments/{number}"))["status"]
    return status == "ended"


async def _until(is_so: Any) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not await is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"the class has not played within {WITHIN_S:.0f} s")
        await asyncio.sleep(POLL_S)
