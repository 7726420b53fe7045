"""Which build of Tabiya runs here: both ends of a cluster must have the same."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import tabiya
from tabiya.server.version import version


@cache
def build_id() -> str:
    """Which Tabiya runs here, for people: its version and a digest of its sources, equal where both are equal."""
    digest, package = hashlib.sha256(), Path(tabiya.__file__).parent
    # a checkout has links where an installed package has folders
    folders = sorted((folder, sorted(names)) for folder, _, names in os.walk(package, followlinks=True))
    for path in (Path(folder, name) for folder, names in folders for name in names if name.endswith(".py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return f"{version()} ({digest.hexdigest()[:8]})"


def difference(worker: str, there: str, here: str) -> str:
    """The message if a worker runs another Tabiya than the caller; empty if it is the same."""
    return "" if there == here else f"the worker {worker} has Tabiya {there}, and here is {here}: they must be the same"
