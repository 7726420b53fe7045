"""Packages of games, installed as their users install them, and commands of a process that has them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.live import ROOT


def install(folder: Path, *packages: Path) -> None:
    """Install packages into a folder of their own; nothing is fetched."""
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, *map(str, packages)], check=True)


COMMANDS = """
import sys
from tabiya.cli.main import main

for words in sys.argv[1:]:
    print(f"\\0{words}\\0", flush=True)
    try:
        main(words.split())
    except SystemExit as ended:
        assert not ended.code, words
"""


def results_of(folder: Path, *commands: str) -> dict[str, str]:
    """What each command of ours prints, one after the other in one process, as for `run_with`."""
    _, *found = _run(folder, "-c", COMMANDS, *commands).split("\0")
    return dict(zip(found[::2], found[1::2], strict=True))


def run_with(folder: Path, *words: str, status: int = 0) -> str:
    """What a module's command (`-m`) prints where the packages of the folder are installed; it must end with `status`.

    If that is not 0, with what it prints as errors.
    """
    return _run(folder, "-m", *words, status=status)


def _run(folder: Path, *arguments: str, status: int = 0) -> str:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + (done.stderr if status else "")
