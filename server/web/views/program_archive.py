"""A zip of all bots' programs for the teacher: programs in use, all versions, and a list."""

from __future__ import annotations

import io
import re
import zipfile
from itertools import product
from typing import IO

from tabiya.protocol.csv_text import csv_text
from tabiya.server.web.views.presentation import format_date_time
from tabiya.storage.program_records import ProgramRecord

COLUMNS = ("bot", "folder", "version", "digest", "handed_in", "file", "game", "state", "plays")
EXECUTABLE = 0o755
EARLIEST = (1980, 1, 1, 0, 0, 0)  # that a zip knows; the list has the dates


class ProgramArchive:
    """Written one version at a time, in a thread: `add` for each, the newest first of each bot, then `close`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._folders: dict[str, str] = {}
        self._rows: list[dict[str, object]] = []

    def add(self, bot: str, program: ProgramRecord, archive: bytes) -> None:
        """A version and its files."""
        folder = self._folder(bot)
        places = [f"versions/{folder}/{program.number:03}-{program.digest}"]
        if program.in_use:
            places.append(f"playing/{folder}")  # as `tabiya class run playing/` reads it
        try:
            with zipfile.ZipFile(io.BytesIO(archive)) as files:
                for name, place in product(files.namelist(), places):
                    entry = zipfile.ZipInfo(f"{place}/{name}", EARLIEST)
                    entry.external_attr = EXECUTABLE << 16  # it may be a program that a command.txt starts
                    self._zip.writestr(entry, files.read(name), zipfile.ZIP_DEFLATED)
        except zipfile.BadZipFile:  # damaged in the store: the others are wanted none the less
            self._zip.writestr(f"{places[0]}/DAMAGED", archive)
        row = (bot, folder, program.number, program.digest, format_date_time(program.created_at), program.file_name)
        plays = "yes" if program.in_use else ""
        self._rows.append(dict(zip(COLUMNS, (*row, program.game, program.state, plays), strict=True)))

    def close(self) -> None:
        """Write the list, and the zip's end."""
        self._zip.writestr("programs.csv", csv_text(self._rows, {name: name for name in COLUMNS}))
        self._zip.close()

    def _folder(self, bot: str) -> str:
        """A name for files; a name of a bot may have signs that no file has on some system."""
        if bot not in self._folders:
            plain = re.sub(r"[^\w .+-]+", "-", bot).strip(" .") or "bot"
            taken = {known.casefold() for known in self._folders.values()}
            self._folders[bot] = plain if plain.casefold() not in taken else f"{plain} ({len(taken) + 1})"
        return self._folders[bot]
