"""A second server on one PostgreSQL goes on with the matches of one that is killed, or hangs and wakes up late."""

from __future__ import annotations

import asyncio
import signal

import pytest

from tabiya.protocol.messages import Move, Turn
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId
from tests.live import PATIENCE_S, listening, served, serving, welcomed
from tests.server.test_database_trouble import begun
from tests.storage.postgres import private_cluster

WARM_S = 100.0


async def printed(process: asyncio.subprocess.Process, words: str) -> None:
    """Wait until the process has said this."""
    assert process.stderr is not None
    async with asyncio.timeout(WARM_S):
        while words not in (await process.stderr.readline()).decode():
            pass


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_the_standby_goes_on_with_a_match_when_the_server_is_gone(number: signal.Signals) -> None:
    with private_cluster() as cluster:
        address = cluster.create("games")
        async with served(address) as first, serving(address, "--standby") as process:
            async with welcomed(first.url, "ada") as ada, welcomed(first.url, "bob") as bob:
                white, black, turn = await begun(ada, bob)
                assert turn.legal_moves
                await white.say(Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0]))
                answered, to_move = await black.receives(Turn), "bob" if black is bob else "ada"
                await printed(process, "in use by another server")
                first.process.send_signal(number)
                async with asyncio.timeout(PATIENCE_S):
                    second = await listening(process)
            async with welcomed(second.url, "ada") as ada, welcomed(second.url, "bob") as bob:
                asked = await {"ada": ada, "bob": bob}[to_move].receives(Turn)
                assert (asked.ply, asked.position) == (answered.ply, answered.position)
                assert asked.clock_ms == answered.clock_ms  # what it took is charged to nobody
            if number == signal.SIGSTOP:
                code, log = await first.end(signal.SIGCONT)
                assert code == 1
                assert "another server has taken over the database" in log
                assert "Traceback" not in log
            code, log = await second.end()
            assert (code, "Traceback" in log) == (0, False)
        store = await open_store(address, create=False)
        assert [row.ply for row in await store.moves(MatchId(1))] == list(range(answered.ply))
        assert await store.check() == []
        await store.close()
