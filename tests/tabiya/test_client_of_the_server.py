"""A student's machine: a fresh environment, the client from the server's own address, nothing compiled, no POSIX."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from pathlib import Path

import pytest

from tabiya.protocol.messages import Seek
from tabiya.server.web.downloads.client_wheel import client_wheel
from tests.fresh_environment import FreshEnvironment
from tests.live import live_server, welcomed

WITHIN_S = 60.0
BOT = """\
import random

from tabiya import Bot, Turn


class Chance(Bot):
    def choose(self, turn: Turn) -> str:
        return random.choice(turn.legal_moves)
"""
# Run by Python before anything else: what is not on Windows, or not in the base installation, is not here either.
NOT_HERE = """\
import asyncio, os, signal, sys

for name in "numba numpy uvloop aiohttp sqlalchemy resource fcntl pwd grp termios tty pty".split():
    sys.modules[name] = None
for module, names in {
    os: "fork forkpty getuid geteuid getpgid setsid killpg uname sysconf sched_getaffinity wait3 wait4",
    signal: "SIGKILL SIGHUP SIGALRM SIGUSR1 SIGPIPE SIGCHLD pthread_kill",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)


def add_signal_handler(self, *arguments):
    raise NotImplementedError


asyncio.SelectorEventLoop.add_signal_handler = add_signal_handler
"""


class Student:
    """Somebody with a laptop, who types."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.laptop = folder, FreshEnvironment(folder)
        (folder / "my_bot.py").write_text(BOT)

    async def run(self, *command: str) -> str:
        """What a command of the environment prints, both streams; it must succeed."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self.folder,
            env={"PATH": f"{self.laptop.bin}{os.pathsep}{os.environ['PATH']}", "HOME": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        async with asyncio.timeout(WITHIN_S):
            output = (await process.communicate())[0].decode()
        assert process.returncode == 0, output
        return output

    async def install(self, url: str) -> None:
        """Install from the server, and from then on be without what other systems do not have."""
        await asyncio.to_thread(self.laptop.install, url)
        (self.laptop.site / "sitecustomize.py").write_text(NOT_HERE)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="lays the environment out as POSIX does")
async def test_a_student_installs_the_client_from_the_server_and_plays_a_game_with_it(tmp_path: Path) -> None:
    student = Student(tmp_path)
    async with live_server(open_registration=False, invite_secret="tulip") as server:
        url = f"{server.pages_url}/client/{client_wheel().name}"
        await student.install(url)
        missing = await student.run(
            "python", "-c", "import os, signal; print(hasattr(os, 'fork'), hasattr(signal, 'SIGKILL'))"
        )
        assert missing == "False False\n"
        assert await student.run("tabiya", "--version") == f"tabiya {client_wheel().name.split('-')[1]}\n"
        _, token = await server.accounts.register("eve", "tulip")
        async with welcomed(server.websocket_url, "eve", token=token) as eve:
            await eve.say(Seek(game="tictactoe"))
            playing = asyncio.create_task(eve.plays())
            command = ("bot", "my_bot.py:Chance", "--server", server.pages_url, "--game", "tictactoe", "--matches", "1")
            result = await student.run("tabiya", *command, "--name", "Ada", "--invite", "tulip")
            await playing
        assert "Ada is registered; its token is kept in " in result
        assert "match 1: tictactoe" in result
        assert re.search(r"^Ada: \d won, \d drawn, \d lost$", result, re.MULTILINE)
    made = await student.run(
        "python", "-c", "from tabiya.server.web.downloads.client_wheel import client_wheel as w; print(w().sha256)"
    )
    assert made.strip() == client_wheel().sha256, "from an installed wheel comes another wheel"
