"""docs/how-to/keep-your-data.md: its commands do what it says, on a database with games."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tabiya.storage.open import open_store
from tests.live import ROOT
from tests.server.planted import LINE, plays, two_players
from tests.tabiya.cli.house import ask

PAGE = ROOT / "docs" / "how-to" / "keep-your-data.md"


def commands() -> list[list[str]]:
    """The words of the page's commands, without comments and without `tabiya`."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [shlex.split(line, comments=True)[1:] for block in blocks for line in block.splitlines()]


@pytest.mark.slow
async def test_the_commands_of_the_page_look_at_the_data_and_copy_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = await open_store("tabiya.db")
    await plays(store, await two_players(store), LINE)
    await store.close()
    assert [words[:2] for words in commands()] == [
        ["verify", "tabiya.db"],
        ["db", "backup"],
        ["db", "restore"],
        ["verify", "copy.db"],
    ]
    notes = []
    for words in commands():
        if words[:2] == ["db", "restore"]:
            (tmp_path / "tabiya.db").unlink()
        said = await ask(*words)
        assert said.status == 0, said.err
        notes.append(said.err.splitlines()[-1])
    assert notes[0] == notes[-1] == "no faults in 1 match, 5 moves, 1 result and 0 tournaments"
