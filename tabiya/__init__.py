"""The front door: the `tabiya` command and the few names a bot author imports.

    from tabiya import Bot, run

    class First(Bot):
        def choose(self, turn):
            return turn.legal_moves[0]

    run(First(), "localhost:8000")

`import tabiya` loads nothing else; a name is loaded when it is first used. The rules (`load_game`, `turn.position()`)
need the `engine` extra, everything else works without.

    from tabiya import explain

    explain("[[3,5],[2,7]]")    # a search of the textbooks, drawn
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
    from tabiya.bots.textbook.recording.explanation import Explanation, explain
    from tabiya.protocol.messages import MatchEnded, MatchStarted, MoveInfo, Seek

__version__ = "1.0.0rc1"

__all__ = [
    "Bot",
    "Choice",
    "ClientError",
    "Explanation",
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
    "explain",
    "load_game",
    "run",
    "run_async",
]

# Where names are from that are not from `tabiya.bots.client`.
_HOMES = dict.fromkeys(("MatchEnded", "MatchStarted", "MoveInfo", "Seek"), "tabiya.protocol.messages") | dict.fromkeys(
    ("Explanation", "explain"), "tabiya.bots.textbook.recording.explanation"
)

if not TYPE_CHECKING:  # otherwise every misspelt name would have the type Any

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'tabiya' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_HOMES.get(name, "tabiya.bots.client")), name)
        globals()[name] = value  # the next use does not come here any more
        return value


def __dir__() -> list[str]:
    # an editor or a shell completes the names that are not loaded yet, too
    return sorted({*globals(), *__all__})
