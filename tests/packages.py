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


def run_with(folder: Path, *words: str, status: int = 0) -> str:
    """What a module's command (`-m`) prints where the packages of the folder are installed; it must end with `status`.

    If that is not 0, with what it prints as errors.
    """
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + (done.stderr if status else "")
