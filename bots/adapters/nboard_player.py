"""Any NBoard engine as a player."""

from __future__ import annotations

from collections.abc import Sequence

from tabiya.bots.adapters.engine_player import EnginePlayer
from tabiya.bots.adapters.nboard_protocol import NBoardDialect


class NBoardPlayer(EnginePlayer):
    """Waits for the engine in its own thread."""

    def __init__(self, command: tuple[str, ...], options: Sequence[tuple[str, str]] = (), **seconds: float) -> None:
        NBoardDialect(options)  # raises before anything is started
        super().__init__(command, lambda: NBoardDialect(options), **seconds)
