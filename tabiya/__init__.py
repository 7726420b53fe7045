"""The front door: the `tabiya` command and the few names a bot author imports.

    from tabiya import Bot, run

    class First(Bot):
        def choose(self, turn):
            return turn.legal_moves[0]

    run(First(), "localhost:8000")

`import tabiya` loads nothing else; a name is loaded when it is first used. The rules (`load_game`, `turn.position()`)
need the `engine` extra, everything else works without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tabiya.bots.client import (
        Bot,
        Choice,
        ClientError,
        NeedsEngine,
        Rejected,
        Summary,
        Turn,
        Unreachable,
        load_game,
        run,
        run_async,
    )
    from tabiya.protocol.messages import MatchEnded, MatchStarted, MoveInfo, Seek

__version__ = "0.1.0"

__all__ = [
    "Bot",
    "Choice",
    "ClientError",
    "MatchEnded",
    "MatchStarted",
    "MoveInfo",
    "NeedsEngine",
    "Rejected",
    "Seek",
    "Summary",
    "Turn",
    "Unreachable",
    "__version__",
    "load_game",
    "run",
    "run_async",
]

# What comes from `tabiya.protocol`; every other name is from `tabiya.bots.client`.
_MESSAGES = frozenset({"MatchEnded", "MatchStarted", "MoveInfo", "Seek"})

if not TYPE_CHECKING:  # else every misspelt name would be Any

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'tabiya' has no attribute {name!r}")
        import tabiya.bots.client
        import tabiya.protocol.messages

        value = getattr(tabiya.protocol.messages if name in _MESSAGES else tabiya.bots.client, name)
        globals()[name] = value  # the next use does not come here any more
        return value


def __dir__() -> list[str]:
    # an editor or a shell completes the names that are not loaded yet, too
    return sorted({*globals(), *__all__})
