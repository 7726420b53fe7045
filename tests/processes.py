"""Python programs in processes of their own, for what one process cannot show: caches, switches of the compiler.

And whether a process still runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]


def python(*arguments: str, cwd: Path = ROOT, stdin: str = "", **environment: str) -> str:
    """What `python ARGUMENTS` printed; all else as for `ended`."""
    return ended(*arguments, cwd=cwd, stdin=stdin, **environment).stdout


def ended(*arguments: str, cwd: Path = ROOT, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """`python ARGUMENTS` in `cwd`, whose packages it imports, when it has ended; AssertionError if it failed.

    stdin: its standard input.  environment: NUMBA_CACHE_DIR is handed on if it does not stand here, no other setting of
    the compiler is.
    """
    kept = {name: text for name, text in os.environ.items() if name[:6] != "NUMBA_" or name == "NUMBA_CACHE_DIR"}
    finished = subprocess.run(
        [sys.executable, "-B", *arguments],
        cwd=cwd,
        env=kept | {"PYTHONPATH": str(cwd)} | environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, f"exit {finished.returncode}: {finished.stderr[-3000:]}"
    return finished


def is_running(pid: int) -> bool:
    """Whether the process has not ended; one that has, and whose end its parent has not looked at yet, does not run."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def without(*packages: str) -> str:
    """The beginning of a program in which these packages are not installed."""
    return f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
