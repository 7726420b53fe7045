"""Worker processes that think, supervised by the process that holds the connection.

pool_bot.py a `Bot` that thinks here · pool.py all workers · supervisor.py a worker and its replacements ·
process.py one worker as its supervisor sees it · worker.py the worker process · frames.py what they send ·
time_limits.py the limits of one move. Names are loaded when used: a worker needs none of the supervisor's half.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tabiya.bots.pool.errors import PlayerFailed, WorkerError
    from tabiya.bots.pool.pool import WorkerPool
    from tabiya.bots.pool.pool_bot import PoolBot
    from tabiya.bots.pool.time_limits import MoveTimeLimits

__all__ = ["MoveTimeLimits", "PlayerFailed", "PoolBot", "WorkerError", "WorkerPool"]

_HOMES = {"MoveTimeLimits": "time_limits", "PlayerFailed": "errors", "WorkerError": "errors", "WorkerPool": "pool"}

if not TYPE_CHECKING:  # else every misspelt name would be Any

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'tabiya.bots.pool' has no attribute {name!r}")
        return getattr(importlib.import_module(f"tabiya.bots.pool.{_HOMES.get(name, 'pool_bot')}"), name)
