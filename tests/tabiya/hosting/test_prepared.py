"""A program that was handed in, on disk: what starts it, in Python or another language."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tabiya.check.grade import CheckReport
from tabiya.check.scenario import ScenarioResult, Status
from tabiya.check.scenarios import FIRST
from tabiya.hosting.prepared import prepare, printed_in
from tabiya.hosting.upload import read_upload
from tabiya.server.hosting import ProgramRefused, Work
from tabiya.storage.program_records import ProgramId
from tests.tabiya.hosting.test_upload import BOT, zipped

PROGRAM = b"#!/bin/sh\necho it runs\n"


def work(file_name: str = "mine.zip") -> Work:
    return Work(
        program=ProgramId(5), fence=2, kind="examine", game="nim", bot="ada", file_name=file_name, digest="1f",
        sha256="", token="",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("files", "player", "command"),
    [
        ({"bot.py": BOT}, "bot.py:Mine", ()),
        ({"mine/command.txt": b"# by us\n./engine {url}\n", "mine/engine": PROGRAM}, "", ("./engine", "{url}")),
        ({"command.txt": b"program:./engine", "engine": PROGRAM}, "program:./engine", ()),
    ],
)
def test_a_command_with_its_files_is_a_program(
    tmp_path: Path, files: dict[str, bytes], player: str, command: tuple[str, ...]
) -> None:
    entry = prepare(work(), read_upload("mine.zip", zipped(files)).archive, tmp_path)
    assert (entry.player, entry.command) == (player, command)
    if "engine" in str(files):
        result = subprocess.run(["./engine"], cwd=tmp_path / entry.folder, capture_output=True, check=True)
        assert result.stdout == b"it runs\n"


def test_what_a_program_has_printed_before_it_failed_is_shown_without_what_our_client_says(tmp_path: Path) -> None:
    text = ("tabiya: connected to ws://127.0.0.1", "my score 3", "tabiya: ada: choose failed:", f"  {tmp_path}/bot.py")
    report = CheckReport((ScenarioResult(FIRST[0], Status.FAILED, printed=text),), "ada", ("nim",))
    shown = printed_in(report, tmp_path)
    assert shown == ("my score 3", "tabiya: ada: choose failed:", "  bot.py")


def test_what_is_no_program_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ProgramRefused, match="no class that derives from tabiya"):
        prepare(work("bot.py"), read_upload("bot.py", b"print()").archive, tmp_path)
