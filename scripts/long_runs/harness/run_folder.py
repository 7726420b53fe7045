"""Where a run leaves its database and logs."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def run_folder(asked: Path | None) -> Iterator[Path]:
    """The folder that is asked for, made if it is not there; else one that is gone with the run."""
    if asked is not None:
        asked.mkdir(parents=True, exist_ok=True)
        yield asked
        return
    with tempfile.TemporaryDirectory(prefix="tabiya-run-") as folder:
        yield Path(folder)
