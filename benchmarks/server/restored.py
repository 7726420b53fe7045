"""How long a server takes to take up the unfinished matches of a database.

python -m benchmarks.server.restored FILE    # prints a JSON object
"""

from __future__ import annotations

import json
import sys
import time

from tabiya.games.registry import load_game, names
from tabiya.games.warm import warm
from tabiya.processes.server_process import run_loop
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig


async def restore(database: str) -> None:
    """Start, count, stop."""
    server = TabiyaServer(ServerConfig(port=0, pages_port=0, database_url=database, max_matches=20_000))
    began = time.perf_counter()
    await server.start()
    took_s = time.perf_counter() - began
    running = server.dispatcher.runner.running()
    plies = sum(active.match.position.ply for active in running)
    print(json.dumps({"matches": len(running), "moves": plies, "seconds": round(took_s, 2)}))
    await server.stop()


if __name__ == "__main__":
    for name in names():
        warm(load_game(name))
    run_loop(restore(sys.argv[1]))
