"""What `tabiya serve` says of itself, and what it keeps for the commands of its user."""

from __future__ import annotations

from pathlib import Path

from tabiya.api_client.token_files import OPERATOR, known_token
from tabiya.cli.hosting.serve import announcement, keep_operator_token
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tests.live import live_server


async def test_what_is_told_to_the_class_and_the_operator_is_the_same_after_a_restart(tmp_path: Path) -> None:
    said = []
    for _ in range(2):
        async with live_server(str(tmp_path / "class.db"), open_registration=False) as server:
            said.append(announcement(server, lan=False)[-2:])
            assert server.accounts.invite_secret in said[0][0]
            assert f"account keep operator {server.accounts.operator_token} --server" in said[0][1]
    assert [line.partition(" --server")[0] for line in said[0]] == [line.partition(" --server")[0] for line in said[1]]


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
