"""Any UCI engine as a player."""

from __future__ import annotations

from tabiya.bots.adapters.engine_player import EnginePlayer
from tabiya.bots.adapters.uci_protocol import Options, UciDialect


class UciPlayer(EnginePlayer):
    """Waits for the engine in its own thread."""

    def __init__(self, command: tuple[str, ...], options: Options = (), **seconds: float) -> None:
        super().__init__(command, lambda: UciDialect(options), **seconds)
