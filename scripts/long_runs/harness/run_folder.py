"""The folder for a run's database and logs."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def run_folder(asked: Path | None) -> Iterator[Path]:
    """The given folder, made if it is missing; without one, a temporary folder."""
    if asked is not None:
        asked.mkdir(parents=True, exist_ok=True)
        yield asked
        return
    with tempfile.TemporaryDirectory(prefix="tabiya-run-") as folder:
        yield Path(folder)
