"""A student's machine: a fresh environment, the client from the server's own address, nothing compiled, no POSIX."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

from protocol.messages import Seek
from server.client_wheel import client_wheel
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


def installed_with(distribution_name: str, known: dict[str, Distribution]) -> dict[str, Distribution]:
    """A distribution and what it needs on this system without extras, by name."""
    if distribution_name.lower() not in known:
        found = distribution(distribution_name)
        known[distribution_name.lower()] = found
        for needed in found.requires or ():
            if ";" not in needed:
                installed_with(re.split(r"[^\w.-]", needed)[0], known)
    return known


class Laptop:
    """An environment with the base's dependencies and nothing of ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder / "bots", with_pip=False, symlinks=True)
        self.site = next((folder / "bots").glob("lib/python3*/site-packages"))
        needed = installed_with("tabiya", {})
        del needed["tabiya"]
        for each in needed.values():
            for top in {Path(str(file)).parts[0] for file in each.files or ()} - {"..", "__pycache__"}:
                source = Path(str(each.locate_file(top)))
                if top.endswith(".dist-info"):  # uv looks for folders
                    shutil.copytree(source, self.site / top)
                else:
                    (self.site / top).symlink_to(source)
        (folder / "my_bot.py").write_text(BOT)

    async def run(self, *command: str) -> str:
        """What a command of the environment prints, both streams; it must succeed."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self.folder,
            env={"PATH": f"{self.folder / 'bots/bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        async with asyncio.timeout(WITHIN_S):
            said = (await process.communicate())[0].decode()
        assert process.returncode == 0, said
        return said

    async def install(self, url: str) -> None:
        """As `pip install URL` does; no index is asked, what it needs is there."""
        uv = str(Path(sys.executable).with_name("uv"))
        python = str(self.folder / "bots/bin/python")
        await self.run(uv, "pip", "install", "--quiet", "--no-cache", "--no-index", "--python", python, url)
        await self.run(uv, "pip", "check", "--quiet", "--python", python)
        (self.site / "sitecustomize.py").write_text(NOT_HERE)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="lays the environment out as POSIX does")
async def test_a_student_installs_the_client_from_the_server_and_plays_a_game_with_it(tmp_path: Path) -> None:
    laptop = Laptop(tmp_path)
    async with live_server(open_registration=False, invite_secret="tulip") as server:
        url = f"{server.pages_url}/client/{client_wheel().name}"
        await laptop.install(url)
        missing = await laptop.run(
            "python", "-c", "import os, signal; print(hasattr(os, 'fork'), hasattr(signal, 'SIGKILL'))"
        )
        assert missing == "False False\n"
        assert await laptop.run("tabiya", "--version") == f"tabiya {client_wheel().name.split('-')[1]}\n"
        _, token = await server.accounts.register("eve", "tulip")
        async with welcomed(server.websocket_url, "eve", token=token) as eve:
            await eve.say(Seek(game="tictactoe"))
            playing = asyncio.create_task(eve.plays())
            command = ("bot", "my_bot.py:Chance", "--server", server.pages_url, "--game", "tictactoe", "--matches", "1")
            said = await laptop.run("tabiya", *command, "--name", "Ada", "--invite", "tulip")
            await playing
        assert "Ada is registered; its token is kept in " in said
        assert "match 1: tictactoe" in said
        assert re.search(r"^Ada: \d won, \d drawn, \d lost$", said, re.MULTILINE)
    made = await laptop.run("python", "-c", "from server.client_wheel import client_wheel as w; print(w().sha256)")
    assert made.strip() == client_wheel().sha256, "from an installed wheel comes another wheel"
