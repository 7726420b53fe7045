"""The file of a kept program that has its bot, as text."""

from __future__ import annotations

import io
import zipfile
import zlib

from tabiya.server.web.schemas.program_responses import ProgramSource

USUAL_FILE = "bot.py"
MOST_BYTES = 1_000_000  # as much as can be handed in


def source_of(archive: bytes) -> ProgramSource | None:
    """The file `bot.py`, or the only Python file; None if there is none to be shown. archive: of a kept version."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as kept:
            files = kept.namelist()
            name = _file_of_bot(files)
            if not name or kept.getinfo(name).file_size > MOST_BYTES:
                return None
            text = kept.read(name).decode("utf-8-sig", "replace")
    except (zipfile.BadZipFile, zlib.error):  # damaged in the store; who downloads it sees that
        return None
    return ProgramSource(file_name=name, text=text, alone=len(files) == 1)


def _file_of_bot(files: list[str]) -> str:
    python = [name for name in files if name.endswith(".py")]
    return USUAL_FILE if USUAL_FILE in python else python[0] if len(python) == 1 else ""
