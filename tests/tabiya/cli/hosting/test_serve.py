"""What `tabiya serve` says of itself, and what it keeps for the commands of its user."""

from __future__ import annotations

import asyncio
import json
import signal
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from tabiya.api_client.token_files import OPERATOR, known_token
from tabiya.cli.hosting.serve import announcement, keep_operator_token, run_house_bots
from tabiya.errors import UserError
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tests.live import live_server
from tests.processes import is_running
from tests.tabiya.cli.command_runner import PATIENCE_S, Shell, tabiya


async def test_what_is_told_to_the_class_and_the_operator_is_the_same_after_a_restart(tmp_path: Path) -> None:
    lines = []
    for _ in range(2):
        async with live_server(str(tmp_path / "class.db"), open_registration=False) as server:
            *_, invite, login, pages = announcement(server, lan=False)
            lines.append([invite, login])
            assert f"{server.pages_url}/operator" in pages
            assert server.accounts.invite_secret in lines[0][0]
            assert f"account keep operator {server.accounts.operator_token} --server" in lines[0][1]
    assert [line.partition(" --server")[0] for line in lines[0]] == [
        line.partition(" --server")[0] for line in lines[1]
    ]


async def test_a_secret_that_the_environment_has_is_told_to_a_class_and_not_to_a_log() -> None:
    names = ("invite_secret", "operator_token", "worker_token")
    given: dict[str, Any] = {name: f"the {name} of the environment" for name in names}
    async with live_server(open_registration=False, public_url="https://games.example.org", **given) as server:
        logged, shown = ("\n".join(announcement(server, lan=lan, hosted=True)) for lan in (False, True))
    for name, secret in given.items():
        assert (secret in logged, secret in shown) == (False, True)
        assert f"with what TABIYA_{name.upper()} says" in logged


async def test_a_server_that_knows_its_secrets_by_their_hashes_alone_says_how_to_set_others() -> None:
    tables = MemoryTables()
    async with live_server(store=MemoryStore(tables), open_registration=False):
        pass
    async with live_server(store=MemoryStore(tables), open_registration=False) as server:
        invite, operator = announcement(server, lan=True)[4:6]
        assert "invite code:     as shown at the first start" in invite
        assert "TABIYA_INVITE_SECRET sets another" in invite
        assert "TABIYA_OPERATOR_TOKEN sets another" in operator
        keep_operator_token(server)
        assert known_token(f"http://127.0.0.1:{server.pages_port}", OPERATOR) == ""


def opponents(ready: Path) -> list[dict[str, Any]]:
    """Whom a person can play, as the server says; none before it has written where it is."""
    if not ready.exists():
        return []
    with urllib.request.urlopen(f"{json.loads(ready.read_text())['pages']}/api/v1/opponents") as answer:
        found: list[dict[str, Any]] = json.load(answer)["opponents"]
        return found


@pytest.mark.slow
@pytest.mark.parametrize("flags", [("--open",), ("--closed",)])
async def test_house_bots_are_there_with_the_server_and_end_with_it(
    shell: Shell, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    ready = tmp_path / "ready.json"
    words = ("--house-bot", "greedy", "--port", "0", "--pages-port", "0", "--ready-file", str(ready))
    served = shell.start("serve", "--database", str(tmp_path / "games.db"), *words, *flags)
    await served.says("data:")
    async with asyncio.timeout(PATIENCE_S):
        while not (bots := await asyncio.to_thread(opponents, ready)):  # noqa: ASYNC110  # it is another process
            await asyncio.sleep(0.1)
    [bot] = bots
    assert (bot["name"], bot["house"], bot["free"]) == ("greedy", True, True)
    assert bot["levels"]["chess"] == "the best position after its own move, no search"
    children = psutil.Process(served.process.pid).children(recursive=True)
    assert children
    await served.ends(signal.SIGTERM)
    assert not [child for child in children if is_running(child.pid)]


async def test_a_house_bot_is_being_prepared_from_its_start_until_it_has_ended() -> None:
    said: list[str] = []
    prepared: list[list[str]] = []
    async with live_server() as server:

        def check() -> None:
            prepared.append(list(server.starting_house_bots))
            raise UserError("greedy has ended")

        children = SimpleNamespace(start=lambda *_: None, check=check)
        await run_house_bots(server, ["greedy"], children, said.append)  # type: ignore[arg-type]
        assert (prepared, server.starting_house_bots) == ([["greedy"]], [])
    assert said == ["house bot greedy has ended"]


def test_a_house_bot_that_cannot_play_is_said_before_the_server_starts() -> None:
    assert "there is no player 'gredy'" in tabiya("serve", "-d", "memory:", "--house-bot", "gredy").err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--bus", "nats://here:1"), "--processes cannot be used with a bus"),
        (("-d", "memory:"), "--processes needs a database that processes can share"),
    ],
)
def test_what_several_processes_cannot_be_combined_with_is_said(words: tuple[str, ...], sentence: str) -> None:
    assert tabiya("serve", "--processes", "2", *words).sentence.startswith(sentence)


def test_several_processes_elsewhere_than_on_linux_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.cli.hosting.serve.sys", SimpleNamespace(platform="darwin"))
    assert tabiya("serve", "--processes", "2").sentence.startswith("--processes needs Linux")
