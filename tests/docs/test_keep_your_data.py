"""docs/how-to/keep-your-data.md: its commands do what it says, on databases with games and under servers that play."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import signal
import sys
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from tabiya.protocol.messages import MatchStarted, Move, Seek, Turn
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId
from tests.live import ROOT, PlainBot, ServerProcess, served, welcomed
from tests.server.planted import LINE, plays, two_players
from tests.server.test_database_trouble import readiness
from tests.storage.conftest import files_in
from tests.storage.postgres import Cluster, private_cluster
from tests.tabiya.cli.command_runner import ask

PAGE = ROOT / "docs" / "how-to" / "keep-your-data.md"
LONG = Seek(game="nim", time="600+0", options={"heaps": ",".join(["63"] * 26)})
MOST_PLIES = 300
"""While something is copied; there are more objects, of which one is taken at a time."""


def commands(section: str) -> list[str]:
    """The lines of the commands that stand under a heading of the page."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n## {section}\n")
    blocks = re.findall(r"```sh\n(.*?)```", rest.partition("\n## ")[0], re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


async def shell(line: str, folder: Path, **environment: str) -> str:
    """What a command line says when it has ended well, run as the page's reader runs it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), environment.pop("PATH", ""), os.environ["PATH"]])
    process = await asyncio.create_subprocess_exec(
        "bash", "-ec", line, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env=os.environ | environment | {"PATH": path},
    )  # fmt: skip
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server."""
    with private_cluster() as running:
        yield running


@pytest.mark.slow
async def test_the_commands_of_the_page_look_at_the_data_and_copy_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = await open_store("tabiya.db")
    await plays(store, await two_players(store), LINE)
    await store.close()
    lines = commands("Look whether all is well") + commands("Copies")
    asked = [shlex.split(line, comments=True)[1:] for line in lines]
    assert [words[:2] for words in asked] == [
        ["verify"],
        ["db", "backup"],
        ["db", "restore"],
        ["verify", "--database"],
    ]
    notes = []
    for words in asked:
        if words[:2] == ["db", "restore"]:
            (tmp_path / "tabiya.db").unlink()
        result = await ask(*words)
        assert result.status == 0, result.err
        notes.append(result.err.splitlines()[-1])
    assert notes[0] == notes[-1] == "no faults in 1 match, 5 moves, 1 result and 0 tournaments"


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_match_goes_on_from_a_copy_of_a_file_that_was_made_while_it_was_played(tmp_path: Path) -> None:
    database = tmp_path / "tabiya.db"
    backup, restore, verify = commands("Copies")
    copied_at = await plays_while(str(database), shell(backup, tmp_path))
    for name in files_in(tmp_path) - {"copy.db"}:
        (tmp_path / name).unlink()
    result = [await shell(line, tmp_path) for line in (restore, verify)][-1]
    assert result.splitlines()[-1].startswith("no faults in 1 match, ")
    await goes_on(str(database), copied_at)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_match_goes_on_from_a_copy_of_a_postgresql_that_was_made_while_it_was_played(
    tmp_path: Path, cluster: Cluster
) -> None:
    address = cluster.create("tabiya")
    where = {"PGHOST": "127.0.0.1", "PGPORT": str(cluster.port), "PGUSER": "tabiya"}
    where |= {"TABIYA_DATABASE_URL": address, "PATH": cluster.bin}
    dump, *restore = commands("Copies of a PostgreSQL")
    copied_at = await plays_while(address, shell(dump, tmp_path, **where))
    assert (tmp_path / "tabiya.dump").stat().st_mode & 0o077 == 0
    result = [await shell(line, tmp_path, **where) for line in restore][-1]
    assert result.splitlines()[-1].startswith("no faults in 1 match, ")
    await goes_on(address, copied_at)


async def plays_while(database: str, copying: Coroutine[Any, Any, str]) -> range:
    """Plays on while a command copies the database, and after it, until the server is killed; where the copy can be."""
    async with served(database) as server, welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
        seats: dict[int, PlainBot] = {}
        for each in (ada, bob):
            await each.say(LONG)
        for each in (ada, bob):
            seats[(await each.receives(MatchStarted)).seat] = each
        ply = await take(server, seats, 0, 4)
        task = asyncio.create_task(copying)
        before = ply
        while not task.done() and ply < MOST_PLIES:
            ply = await take(server, seats, ply, 1)
        await task
        ply = await take(server, seats, ply, 4)
        await server.end(signal.SIGKILL)
    return range(before - 1, ply - 3)  # the last move that was said need not be saved yet


async def take(server: ServerProcess, seats: dict[int, PlainBot], ply: int, count: int) -> int:
    """Each in turn takes one object, so many times; the next ply."""
    for now in range(ply, ply + count):
        turn = await seats[now % 2].receives(Turn)
        assert turn.ply == now
        await one(seats[now % 2], turn)
        await readiness(server)  # no faster than a page is answered
    return ply + count


async def one(bot: PlainBot, turn: Turn) -> None:
    """Take one object."""
    assert turn.legal_moves
    await bot.say(Move(match=turn.match, ply=turn.ply, move=next(m for m in turn.legal_moves if m[1:] == "1")))


async def goes_on(database: str, copied_at: range) -> None:
    """A server on the copy hands out the turn that follows the last move in it, and all is in order afterwards."""
    store = await open_store(database, create=False)
    saved = len(await store.moves(MatchId(1)))
    await store.close()
    assert saved in copied_at
    async with served(database) as server, welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
        turns = [asyncio.ensure_future(bot.receives(Turn)) for bot in (ada, bob)]
        done, waiting = await asyncio.wait(turns, return_when=asyncio.FIRST_COMPLETED)
        turn = done.pop().result()
        assert turn.ply == saved
        await one(ada if turns[0] not in waiting else bob, turn)
        assert (await waiting.pop()).ply == saved + 1
        await server.end()
    assert (await ask("verify", "--database", database)).status == 0


@pytest.mark.slow
async def test_a_file_is_moved_to_postgresql_by_the_command_of_the_page(tmp_path: Path, cluster: Cluster) -> None:
    address = cluster.create("moved")
    store = await open_store(str(tmp_path / "tabiya.db"))
    await plays(store, await two_players(store), LINE)
    await store.close()
    (line,) = commands("Move to PostgreSQL")
    result = await shell(line, tmp_path, TABIYA_DATABASE_URL=address)
    assert result.splitlines()[-1].endswith("no faults found")
    verified = await ask("verify", "--database", address)
    assert verified.err.splitlines()[-1] == "no faults in 1 match, 5 moves, 1 result and 0 tournaments"
