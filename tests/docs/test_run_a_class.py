"""The teacher's day is played from its first block to its last, with a server on this machine alone."""

from __future__ import annotations

import csv
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source_rules.sources import ROOT

PAGE = ROOT / "docs" / "how-to" / "run-a-class.md"
PATIENCE_S = 100.0


class Teacher:
    """Types what the page says into as many terminals as it takes."""

    def __init__(self, folder: Path, environment: dict[str, str], pages: str) -> None:
        self._folder, self._environment, self._pages = folder, environment, pages
        self._processes: list[subprocess.Popen[bytes]] = []
        self._bots: list[str] = []
        self.outputs: dict[str, str] = {}

    def read(self, word: str, text: str) -> None:
        """Do what a block says."""
        if word == "kill":
            self._processes[0].kill()
            self._processes.pop(0).wait()
        for line in text.splitlines():
            if word in ("server", "kill"):
                self._start(f"{line} --host 127.0.0.1 --closed", first=True)
                self._wait_for("/readyz", "ok")
                for name in self._bots:  # after a killed server they come back by themselves
                    self._wait_for_bot(name)
            elif word == "background":
                self._start(line)
                name = shlex.split(line)[shlex.split(line).index("--name") + 1]
                self._wait_for_bot(name)
                self._bots.append(name)
            else:
                self._type(line)

    def _start(self, line: str, first: bool = False) -> None:
        with self.log.open("ab") as log:
            command = ["bash", "-c", f"exec {line}"]
            process = subprocess.Popen(command, cwd=self._folder, env=self._environment, stdout=log, stderr=log)
        self._processes.insert(0 if first else len(self._processes), process)

    def _wait_for_bot(self, name: str) -> None:
        self._wait_for("/api/v1/bots", f'"name":"{name}","guest":false,"connected":true')

    def receives(self, text: str) -> None:
        """Wait until one of the other terminals says so."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.log.read_text():
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def _wait_for(self, path: str, text: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            asked = ["curl", "--silent", "--max-time", "5", f"{self._pages}{path}"]
            if text in subprocess.run(asked, capture_output=True, text=True, check=False).stdout:
                return
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def _type(self, line: str) -> None:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}\n{self.log.read_text()}"
        self.outputs[line] = done.stdout

    @property
    def log(self) -> Path:
        """What the other terminals show."""
        return self._folder / "terminals.log"

    def close(self) -> None:
        """Ctrl-C everywhere, the server last."""
        for process in self._processes[::-1]:
            process.terminate()
        for process in self._processes:
            process.wait(20)


def blocks() -> list[tuple[str, str]]:
    """The word behind `sh` and the text of every block."""
    return re.findall(r"^```sh ?(\S*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def teacher(tmp_path: Path) -> Iterator[Teacher]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, pages_port = one.getsockname()[1], other.getsockname()[1]
    pages = f"http://127.0.0.1:{pages_port}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TABIYA_")} | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TABIYA_PORT": str(port),
        "TABIYA_PAGES_PORT": str(pages_port),
        "TABIYA_LOCAL_ORDERS": "false",  # as on a network: everybody is asked for the operator's token
        "TABIYA_INVITE_SECRET": "CODE",
        "TABIYA_SERVER": pages,
        "TABIYA_CONFIG": str(tmp_path / "config" / "client.toml"),
    }
    teacher = Teacher(tmp_path, environment, pages)
    yield teacher
    teacher.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_class_day_goes_from_the_first_start_to_the_grades_through_a_killed_server(
    teacher: Teacher, tmp_path: Path
) -> None:
    for word, text in blocks():
        teacher.read(word, text)
    announced = teacher.log.read_text()
    assert "tell the class:" in announced
    assert "invite code:     CODE" in announced
    assert "operator login:  tabiya account keep operator " in announced
    with (tmp_path / "friday.csv").open() as file:
        assert {row["bot"].rpartition(". ")[2] for row in csv.DictReader(file)} == {"House random", "House greedy"}
    with (tmp_path / "ratings.csv").open() as file:
        assert {row["bot"] for row in csv.DictReader(file)} == {"House random", "House greedy"}
    assert "Friday" in teacher.outputs["tabiya tournament list"]
    assert (tmp_path / "class-friday.db").stat().st_size > 0
    token = teacher.outputs['tabiya account rotate "House greedy"'].strip()
    assert len(token) >= 43
    teacher.receives("the token was revoked or replaced")


def test_the_page_has_blocks_of_all_kinds() -> None:
    assert [word for word, _ in blocks() if word] == ["server", "background", "kill"]
    assert sum(not word for word, _ in blocks()) >= 4
