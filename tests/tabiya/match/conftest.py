"""Two bots in a file, and matches between them without worker processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.client.bot import Bot
from tabiya.bots.pool.make_bot import make_bot

SOURCE = """
from tabiya import Bot

class First(Bot):
    async def choose(self, turn):
        return turn.legal_moves[0]

class Last(Bot):
    async def choose(self, turn):
        return turn.legal_moves[-1]

class Fails(Bot):
    def choose(self, turn):
        return turn.legal_moves[99]

class Stops(Bot):
    def __init__(self):
        raise RuntimeError("no licence")
"""


@pytest.fixture
def players(tmp_path: Path) -> tuple[str, str]:
    file = tmp_path / "players.py"
    file.write_text(SOURCE)
    return f"{file}:First", f"{file}:Last"


@pytest.fixture
def in_process(players: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The two, thinking in this process: a worker takes a second to start."""

    def without_workers(player: str, *, workers: int, **options: Any) -> Bot:
        return make_bot(player, **options)

    monkeypatch.setattr("tabiya.match.table.make_bot", without_workers)
    return players
