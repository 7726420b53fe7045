"""`tabiya pages`: what it says, and that it ends in order."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.live import live_server
from tests.tabiya.cli.command_runner import Shell, tabiya

HERE = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--live", "ws://127.0.0.1:8765"), "ws://127.0.0.1:8765 is not where a server has its pages"),
        (("--live", f"{HERE}/matches"), "/matches is not where a server has its pages"),
        (("--live", f"{HERE},,"), "'' is not the address of a server"),
        (("--live", "games"), "'games' has no port"),
        (("--live", HERE, "--public-url", "games"), "public_url: an address such as https://games.example.org"),
        (("--live", HERE, "-d", "none.db"), "there is no database at none.db"),
        (("--live", HERE, "-d", "memory:"), "a database in memory cannot be used by another process"),
        (("--live", HERE, "-d", "postgresql://127.0.0.1:9/games"), "postgresql://127.0.0.1:9/games cannot be opened"),
    ],
)
def test_what_is_wrong_is_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in tabiya("pages", "--pages-port", "0", *words).sentence


@pytest.mark.slow
async def test_it_says_where_the_pages_are_and_ends_in_order(shell: Shell, tmp_path: Path) -> None:
    database, ready = str(tmp_path / "games.db"), tmp_path / "ready.json"
    async with live_server(database) as server:
        live = server.pages_url.removeprefix("http://")
        words = ("--live", live, "-d", database, "--pages-port", "0", "--ready-file", str(ready))
        pages = shell.start("pages", *words)
        await pages.says(f"http://{live} answers")
        address = json.loads(ready.read_text())["pages"]
        assert f"pages of http://{live} are at {address}, data: {database}" in pages.err
        await pages.ends(signal.SIGTERM)
        assert not ready.exists()
