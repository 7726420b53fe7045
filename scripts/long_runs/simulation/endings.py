"""What must be so when everything is over: games, tables and ratings recomputed from the moves, and nothing left."""

from __future__ import annotations

from scripts.long_runs.simulation.truth import Truth
from server.app import TabiyaServer
from tests.server.invariants import broken_invariants


async def broken_at_the_end(server: TabiyaServer, truth: Truth) -> list[str]:
    """What is wrong, one sentence each. Runs in the server's process, before it is stopped."""
    return broken_invariants(server.host)
