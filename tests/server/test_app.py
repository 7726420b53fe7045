"""The server as a whole: starting, failing to start, stopping."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from tabiya.games.registry import names
from tabiya.protocol.messages import Seek
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.standings.cache import COUNTERS_KEY
from tabiya.server.standings.counters import CountedResults
from tabiya.server.tournaments.settings import TournamentError, TournamentOrder
from tabiya.server.transport.listening import StartError
from tabiya.storage.open import open_store
from tests.live import live_server, welcomed
from tests.server.local_bots import silent, table
from tests.server.planted import LINE, plays, two_players
from tests.virtual_time import virtual_time


def config(**fields: object) -> ServerConfig:
    """A server in memory on free ports, unless said otherwise."""
    usual: dict[str, object] = {"database_url": "memory:", "port": 0, "pages_port": 0}
    return ServerConfig(**(usual | fields))  # type: ignore[arg-type]


async def failed_start(settings: ServerConfig) -> str:
    """The sentence of a start that fails; nothing may be left running."""
    before = asyncio.all_tasks()
    server = TabiyaServer(settings)
    with pytest.raises(StartError) as failed:
        await server.start()
    await asyncio.sleep(0)
    assert asyncio.all_tasks() <= before  # of another server that one may have ended meanwhile which counts results
    assert "\n" not in str(failed.value)
    return str(failed.value)


@pytest.mark.parametrize("which", ["port", "pages_port"])
async def test_a_taken_port_is_one_sentence_and_leaves_nothing_open(which: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1 port {port}" in await failed_start(config(**{which: port}))


@pytest.mark.slow
async def test_a_wrong_database_address_is_one_sentence(tmp_path: Path) -> None:
    assert "mysql" in await failed_start(config(database_url="mysql://somewhere/games"))
    (tmp_path / "text.db").write_text("this is no database, whatever its name says" * 100)
    assert "text.db" in await failed_start(config(database_url=str(tmp_path / "text.db")))


@pytest.mark.slow
async def test_two_servers_do_not_share_a_database(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    async with live_server(database):
        assert "games.db" in await failed_start(config(database_url=database))


@pytest.mark.slow
async def test_a_failed_start_over_running_matches_leaves_them_for_the_next(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    async with (
        live_server(database) as server,
        welcomed(server.websocket_url, "ada", seek=(names()[0],)) as ada,
        welcomed(server.websocket_url, "bob", seek=(names()[0],)),
    ):
        await ada.hear()
        cup = TournamentOrder(name="Cup", game=names()[0], bots=("ada", "bob"))
        await server.tournaments.create(cup)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        await failed_start(config(database_url=database, port=taken.getsockname()[1]))
    async with live_server(database) as server:
        assert len(server.dispatcher.runner.running()) == 1
        assert server.tournaments._directors


async def test_stopping_twice_or_at_once_is_stopping_once() -> None:
    server = TabiyaServer(config())
    await server.start()
    await asyncio.gather(server.stop(), server.stop())
    await server.stop()


async def test_registration_is_open_exactly_on_loopback_unless_told() -> None:
    for host, reported, is_open in (
        ("127.0.0.1", None, True),
        ("0.0.0.0", None, False),
        ("0.0.0.0", True, True),
        ("127.0.0.1", False, False),
    ):
        async with live_server(host=host, open_registration=reported) as server:
            assert server.accounts.open_to_all is is_open


@virtual_time
async def test_a_stopping_server_takes_no_more_orders() -> None:
    async with table() as there:
        for name in ("ada", "bob"):
            await there.bot(name, silent)
        cup = TournamentOrder(name="Cup", game=names()[0], bots=("ada", "bob"), start=False)
        created = await there.server.tournaments.create(cup)
        there.server.tournaments.close()
        with pytest.raises(TournamentError, match="the server closes"):
            await there.server.tournaments.start(created.id)


@virtual_time
async def test_a_match_that_is_being_made_when_the_server_stops_is_there_after_the_next_start() -> None:
    async with table() as before:
        ada, bob = await before.bot("ada", silent), await before.bot("bob", silent)
        before.store.seconds_to_commit = lambda: 0.5
        for bot in (ada, bob):
            bot.say(Seek(game=names()[0]))
        await before.idle()
        before.network.close("over")
        await before.server.stop()
        tables = before.store.tables
        before.crashed = True
    async with table(tables) as after:
        assert len(after.dispatcher.runner.running()) == 1


async def test_a_server_that_closes_writes_down_what_it_has_counted_of_the_results(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    store = await open_store(str(path))
    await plays(store, await two_players(store), LINE)
    await store.close()
    server = TabiyaServer(config(database_url=str(path)))
    await server.start()
    assert await server.standings.is_ready(20.0)
    await server.stop()
    store = await open_store(str(path))
    assert CountedResults.from_text(await store.setting(COUNTERS_KEY) or "").seen == 1
    await store.close()
