"""Every test of a command has a folder, a configuration and an environment of its own."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tabiya.cli.command_runner import Shell, serving, shell_in


@pytest.fixture(autouse=True)
def own_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of anyone who runs the tests is seen, and nothing of theirs is written."""
    for name in [name for name in os.environ if name.startswith("TABIYA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TABIYA_CONFIG", str(tmp_path / "config" / "client.toml"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
async def server(own_world: None) -> AsyncIterator[Any]:
    """A server that the commands find by themselves."""
    async with serving(rate_guests=True) as running:
        yield running


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """For commands that need a process of their own."""
    with shell_in(tmp_path / "shell") as shell:
        yield shell
