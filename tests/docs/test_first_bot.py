"""The tutorial is run from its first block to its last, as a student types it on a laptop of the class.

A fresh environment gets the client from a server that runs beside it, as the teacher's does: the address is that
server's, the invite code is the one that the page names.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tabiya.server.web.downloads.client_wheel import client_wheel
from tests.fresh_environment import FreshEnvironment
from tests.source_rules.sources import ROOT
from tests.tabiya.cli.command_runner import shell_in

PAGE = ROOT / "docs" / "tutorial" / "your-first-bot.md"
TYPED = {"tabiya play": "moves\nb2\nresign\n"}
PATIENCE_S = 100.0


class Block(NamedTuple):
    """A block of the page: `sh` or `python`, the word behind it, and its text."""

    language: str
    word: str
    text: str


class Reader:
    """Somebody who types what the page says. environment: of the terminals."""

    def __init__(self, folder: Path, environment: dict[str, str], address: str) -> None:
        self.folder, self.environment, self._address = folder, environment, address
        self.outputs: dict[str, str] = {}
        self.installed: list[str] = []
        self._running: list[subprocess.Popen[bytes]] = []

    def read(self, block: Block) -> None:
        """Do what a block says."""
        text = block.text.replace("http://ADDRESS:8080", self._address)
        if block.language == "python":
            (self.folder / block.word).write_text(text)
            return
        for line in text.splitlines():
            if block.word == "install":
                self.install(line)
            elif block.word == "background":
                self.start(line)
            elif line.startswith("export "):
                name, _, value = line.removeprefix("export ").partition("=")
                self.environment[name] = value
            else:
                self.type(line)

    def install(self, line: str) -> None:
        """The three lines that install, with another installer: no index may be asked, and pip would take its time."""
        self.installed.append(line)
        match shlex.split(line):
            case ["python3", "-m", "venv", ".venv"]:
                self._laptop = FreshEnvironment(self.folder, "all")
            case [".", ".venv/bin/activate"]:
                self.environment["PATH"] = f"{self._laptop.bin}{os.pathsep}{os.environ['PATH']}"
            case ["pip", "install", what]:
                self._laptop.install(what)
                self._laptop.take_kernels()  # that a fresh one compiles: tests/tabiya/test_wheel.py
            case _:
                pytest.fail(f"the page installs with {line!r}")

    def type(self, line: str) -> None:
        """A command that ends by itself."""
        typed = next((text for start, text in TYPED.items() if line.startswith(start)), None)
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.environment,
            input=typed or "",
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        self.outputs[line] = done.stdout

    def start(self, line: str) -> None:
        """A command in another terminal."""
        with (self.folder / "terminal.log").open("ab") as log:
            command = ["bash", "-c", f"exec {line}"]
            self._running.append(
                subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)
            )

    def close(self) -> None:
        """Ctrl-C in every other terminal."""
        for process in self._running[::-1]:
            process.terminate()
        for process in self._running:
            process.wait(20)


def blocks() -> list[Block]:
    found = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [Block(*block) for block in found]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    teacher, student = tmp_path / "teacher", tmp_path / "student"
    student.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TABIYA_", "PYTHON"))}
    with shell_in(teacher) as shell:
        words = ("--port", "0", "--pages-port", "0", "--closed", "--ready-file", str(tmp_path / "ready"))
        served = shell.start("serve", *words, TABIYA_INVITE_SECRET="CODE")
        deadline = time.monotonic() + PATIENCE_S
        while not (tmp_path / "ready").exists():
            assert served.process.poll() is None, served.err
            assert time.monotonic() < deadline, served.err
            time.sleep(0.05)
        address = json.loads((tmp_path / "ready").read_text())["pages"]
        reader = Reader(student, environment | {"TABIYA_CONFIG": str(student / "client.toml")}, address)
        yield reader
        reader.close()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_tutorial_leads_from_nothing_to_a_rated_game(reader: Reader) -> None:
    for block in blocks():
        reader.read(block)
    assert len(reader.installed) == 3
    assert "a1 b1 c1" in reader.outputs["tabiya play my_bot.py:MyBot --game tictactoe"]
    assert "This bot is ready." in reader.outputs["tabiya check my_bot.py:MyBot"]
    standings = reader.outputs["tabiya standings tictactoe"]
    assert "Your name" in standings
    assert "Sparring partner" in standings
    assert "Your name" in reader.outputs["tabiya matches show 1"]
    reader.type("python -c 'import tabiya; print(tabiya.__file__)'")
    assert reader.outputs["python -c 'import tabiya; print(tabiya.__file__)'"].startswith(str(reader.folder / ".venv"))


def test_the_page_has_blocks_of_all_kinds() -> None:
    assert [block.word for block in blocks() if block.language == "python"] == ["my_bot.py"]
    assert sum(block.word == "background" for block in blocks()) == 1
    assert sum(block.language == "sh" and not block.word for block in blocks()) >= 6


def test_the_page_names_the_wheel_that_the_server_offers_and_the_set_up_of_the_repository() -> None:
    text = PAGE.read_text("utf-8")
    assert f"/client/{client_wheel().name}" in text
    assert "`make setup` and `. .venv/bin/activate`" in text
    assert re.search(r"^setup:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
