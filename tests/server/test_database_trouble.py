"""The database of a running server is locked, full, refuses writes or vanishes: a real process, files and sockets.

Nothing is told that is not saved, no clock runs, everybody is told why, and play goes on by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from tabiya.protocol.messages import MatchStarted, Move, Notice, Seek, Turn
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.transport.listening import StartError
from tests.live import PlainBot, ServerProcess, served, welcomed
from tests.programs import missing, program
from tests.waiting import WITHIN_S

CHESS = "chess"
SIZE_MB = 4

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of a running process are Linux' alone")


@contextlib.contextmanager
def locked(database: Path, server: ServerProcess) -> Iterator[str]:
    """Another program holds the database."""
    with contextlib.closing(sqlite3.connect(database, timeout=10, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield "locked by another program"


@contextlib.contextmanager
def failing(database: Path, server: ServerProcess) -> Iterator[str]:
    """The disk takes no further byte of any file."""
    import resource  # not above: where there is none, these tests are skipped

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (4_096, hard))
    yield "the disk reports an error"
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))


@contextlib.contextmanager
def vanished(database: Path, server: ServerProcess) -> Iterator[str]:
    """Somebody moves the file away, and back."""
    away = database.with_name("elsewhere.db")
    database.rename(away)
    yield "removed or replaced while it was in use"
    away.rename(database)


@contextlib.contextmanager
def full(database: Path, server: ServerProcess) -> Iterator[str]:
    """Another file takes the rest of the disk."""
    filler = database.with_name("filler")
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        for _ in range(SIZE_MB * 1024):
            file.write(b"x" * 1024)
    assert os.statvfs(database.parent).f_bavail == 0
    yield "the disk is full"
    filler.unlink()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of some megabytes on `folder`."""
    mount(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(folder)])
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def mount(command: list[str]) -> None:
    """Run what mounts a disk; ends the test as `missing` does where this user may not."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        missing(f"no disk can be mounted here: {done.stderr.strip()}")


def asked(url: str) -> tuple[int, str]:
    """Status and text of a page."""
    try:
        with urllib.request.urlopen(url, timeout=WITHIN_S) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


async def readiness(server: ServerProcess) -> str:
    """What /readyz says."""
    return str(json.loads((await asyncio.to_thread(asked, server.pages_url + "/readyz"))[1])["status"])


async def home(server: ServerProcess) -> str:
    """The first page."""
    return (await asyncio.to_thread(asked, server.pages_url + "/"))[1]


async def say(bot: PlainBot, turn: Turn) -> None:
    """Answer a turn."""
    assert turn.legal_moves
    await bot.say(Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0]))


Trouble = contextlib.AbstractContextManager[str]
Troubles = Sequence[Callable[[], Trouble]]


async def plays_through(server: ServerProcess, troubles: Troubles) -> None:
    """A match of Ada and Bob in which each trouble comes between a move and its save, and goes.

    A trouble says what the pages tell of it; nothing if they cannot be read either.
    """
    async with welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
        white, black, turn = await begun(ada, bob)
        for trouble in troubles:
            with trouble() as why:
                assert await readiness(server) == ("ok" if why else "no database")
                await say(white, turn)
                await waits(turn, white, black)
                assert await readiness(server) == ("cannot save" if why else "no database")
                if why:
                    await shows(server, why)
            white, black, asked_ply = black, white, turn.ply
            turn = await white.receives(Turn)
            assert turn.ply == asked_ply + 1
            assert turn.clock_ms is not None
            assert turn.clock_ms.opponent > 57_000  # the wait was charged to nobody
            await shows(server, "")
            assert await readiness(server) == "ok"


async def begun(ada: PlainBot, bob: PlainBot) -> tuple[PlainBot, PlainBot, Turn]:
    """The players of a new match in the order of their seats, and the first turn."""
    for bot in (ada, bob):
        await bot.say(Seek(game=CHESS, time="60+0"))
    seat = (await ada.receives(MatchStarted)).seat
    await bob.receives(MatchStarted)
    white, black = (ada, bob) if seat == 0 else (bob, ada)
    return white, black, await white.receives(Turn)


async def waits(turn: Turn, *bots: PlainBot) -> None:
    """Both players are told that their match waits; a lock is waited for five seconds before."""
    for bot in bots:
        notice = await bot.receives(Notice)
        assert (notice.kind, f"match {turn.match} waits" in notice.text) == ("match_waits", True)


@pytest.mark.slow
async def test_a_server_whose_database_takes_nothing_waits_says_so_and_goes_on(tmp_path: Path) -> None:
    await goes_on_after(tmp_path / "games.db", failing, vanished, locked)


@pytest.mark.slow
async def test_a_server_whose_disk_is_full_waits_says_so_and_goes_on(tmp_path: Path) -> None:
    with small_disk(tmp_path):
        await goes_on_after(tmp_path / "games.db", full)


async def goes_on_after(database: Path, *kinds: Callable[[Path, ServerProcess], Trouble]) -> None:
    """A server plays through these troubles, says each once, and ends in order."""
    async with served(database) as server:
        await plays_through(server, [partial(kind, database, server) for kind in kinds])
        code, log = await server.end()
    assert code == 0
    assert log.count("saving works again") == len(kinds)
    assert sum(" ERROR " in line for line in log.splitlines()) == log.count("saving fails") == len(kinds)


async def shows(server: ServerProcess, why: str) -> None:
    """Wait until the first page, which is kept for half a second, warns of this, or of nothing."""
    async with asyncio.timeout(WITHIN_S):
        while ('role="alert"' in (page := await home(server))) != bool(why) or why not in page:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def test_a_server_on_a_disk_that_may_only_be_read_says_so_and_does_not_start(tmp_path: Path) -> None:
    with small_disk(tmp_path):
        await run("mount", "-o", "remount,ro", str(tmp_path))
        with pytest.raises(StartError, match=r"games\.db cannot be opened"):
            await TabiyaServer(ServerConfig(database_url=str(tmp_path / "games.db"))).start()


@contextlib.contextmanager
def disk_of_its_own(folder: Path) -> Iterator[Path]:
    """A file system in a file, mounted on `folder`; the file, with which it can be mounted again."""
    image = folder.with_name(folder.name + ".img")
    image.write_bytes(b"")
    os.truncate(image, 16 * 2**20)
    subprocess.run([program("mkfs.ext4"), "-q", "-F", str(image)], check=True)
    mount(["mount", "-o", "loop", str(image), str(folder)])
    try:
        yield image
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


async def run(*command: str) -> None:
    """Run a command to its end, whatever it says."""
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
    await process.wait()


@pytest.mark.slow
async def test_a_disk_that_may_only_be_read_from_now_on_loses_nothing_that_was_told(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with disk_of_its_own(folder) as image:
        database = folder / "games.db"
        flags = ("--durability", "power")  # such a disk forgets what was not forced onto it, as at a loss of power
        async with (
            served(database, *flags) as server,
            welcomed(server.url, "ada") as ada,
            welcomed(server.url, "bob") as bob,
        ):
            white, black, turn = await begun(ada, bob)
            is_ada = black is ada
            await say(white, turn)
            turn_message = await black.receives(Turn)
            await run("mount", "-o", "remount,abort", str(folder))  # as after an error of the disk
            await say(black, turn_message)
            await waits(turn, white, black)
            assert await readiness(server) == "cannot save"
            code, _ = await server.end()
        assert code == 0
        await run("umount", str(folder))
        await run("mount", "-o", "loop", str(image), str(folder))
        async with served(database) as server, welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
            again = await (ada if is_ada else bob).receives(Turn)
            assert (again.match, again.ply, again.position) == (
                turn_message.match,
                turn_message.ply,
                turn_message.position,
            )
