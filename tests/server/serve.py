"""A server in a process of its own, to be killed: `python -m tests.server.serve DATABASE [PORT]`; prints its port.

With bots named after that, it creates a tournament of them as soon as all are there, unless one exists.
"""

from __future__ import annotations

import asyncio
import signal
import sys

from games.registry import names
from server.app import TabiyaServer
from server.config import ServerConfig
from server.tournaments.settings import TournamentOrder


async def serve(database: str, port: int, bots: tuple[str, ...]) -> None:
    """Until SIGINT or SIGTERM."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.slow_callback_duration = 60.0  # under -X dev: compiling takes long here
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    server = TabiyaServer(ServerConfig(database_url=database, port=port, pages_port=0))
    await server.start()
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    if bots and not await server.store.list_tournaments():
        while not all(server.host.directory.named(bot) for bot in bots):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await server.tournaments.create(
            TournamentOrder(
                name="Cup", game=names()[0], bots=bots, time_control="60+0", rounds=3, seed=1, concurrency=2
            )
        )
    await stop.wait()
    await server.stop()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    sys.stdout.write(f"left: {len(left)} {left or ''}\n")


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]), tuple(sys.argv[3:])))
