"""The tutorial is run from its first block to its last, as its reader would, with ports of the test's own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.sources import ROOT

PAGE = ROOT / "docs" / "tutorial" / "your-first-bot.md"
TYPED = {"tabiya play": "moves\nb2\nresign\n"}
PATIENCE_S = 100.0


class Block(NamedTuple):
    """A block of the page: `sh` or `python`, the word behind it, and its text."""

    language: str
    word: str
    text: str


class Reader:
    """Somebody who types what the page says."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.environment = folder, environment
        self.said: dict[str, str] = {}
        self._running: list[subprocess.Popen[bytes]] = []

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
        self.said[line] = done.stdout

    def start(self, line: str) -> None:
        """A command in another terminal."""
        with (self.folder / "terminal.log").open("ab") as log:
            command = ["bash", "-c", f"exec {line}"]
            self._running.append(
                subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)
            )
        if "serve" in line:
            self.wait_for_server()

    def wait_for_server(self) -> None:
        """Until the pages are there."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urllib.request.urlopen(f"{self.environment['TABIYA_SERVER']}/healthz", timeout=1):
                    return
            except OSError:
                assert time.monotonic() < deadline, (self.folder / "terminal.log").read_text()
                time.sleep(0.1)

    def close(self) -> None:
        """Ctrl-C in every other terminal."""
        for process in self._running[::-1]:
            process.terminate()
        for process in self._running:
            process.wait(20)


def blocks() -> list[Block]:
    found = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [Block(*block) for block in found]


def free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    port, pages_port = free_ports()
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TABIYA_PORT": str(port),
        "TABIYA_PAGES_PORT": str(pages_port),
        "TABIYA_SERVER": f"http://127.0.0.1:{pages_port}",
        "TABIYA_CONFIG": str(tmp_path / "client.toml"),
    }
    reader = Reader(tmp_path, environment)
    yield reader
    reader.close()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_tutorial_leads_from_nothing_to_a_rated_game(reader: Reader) -> None:
    for block in blocks():
        if block.language == "python":
            (reader.folder / block.word).write_text(block.text)
        for line in block.text.splitlines() if block.language == "sh" else ():
            if block.word == "background":
                reader.start(line)
            elif block.word != "install":
                reader.type(line)
    assert "a1 b1 c1" in reader.said["tabiya play my_bot.py:MyBot --game tictactoe"]
    assert "This bot is ready." in reader.said["tabiya check my_bot.py:MyBot"]
    standings = reader.said["tabiya standings tictactoe"]
    assert "MyBot" in standings
    assert "greedy" in standings
    assert "MyBot" in reader.said["tabiya matches show 1"]


def test_what_the_tutorial_installs_with_is_there() -> None:
    install = next(block for block in blocks() if block.word == "install")
    assert install.text.splitlines() == ["make setup", ". .venv/bin/activate"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^setup:", makefile, re.MULTILINE)
    assert "all = [" in (ROOT / "pyproject.toml").read_text("utf-8")


def test_the_page_has_blocks_of_all_kinds() -> None:
    assert [block.word for block in blocks() if block.language == "python"] == ["my_bot.py"]
    assert sum(block.word == "background" for block in blocks()) == 2
    assert sum(block.language == "sh" and not block.word for block in blocks()) >= 6
