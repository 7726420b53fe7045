"""Turns an upload, a Python file or a zip, into a clean archive within limits.

upload = read_upload("bot.zip", data)
unpack(upload.archive, folder)
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tabiya.bots.players.spec import NOTEBOOK

MOST_BYTES = 1_000_000  # of the upload
MOST_A_DAY, MOST_VERSIONS = 100, 500  # of one bot, so that uploads in a loop fill neither disk nor queue
DAY_S = 24 * 3600.0
MOST_UNPACKED = 8_000_000  # of all its files
MOST_FILES = 300
LONGEST_NAME = 200
USUAL_FILE = "bot.py"
IGNORED = ("__pycache__", "__MACOSX", ".git", ".DS_Store", ".venv", "node_modules")
ENCRYPTED = 0x1
LINK, KIND = 0o120000, 0o170000  # of a file's mode, in the upper half of a zip's attributes
READ = 64 * 1024
EXECUTABLE = 0o755


class UploadRefused(ValueError):
    """It cannot be taken; the text is one sentence for its author."""


class TooMany(UploadRefused):
    """There are too many versions; no other is accepted now."""


class Upload(NamedTuple):
    """digest: of names and contents of the files, not of their archive. archive: those files, as a zip."""

    digest: str
    archive: bytes


def read_upload(file_name: str, data: bytes) -> Upload:
    """The program in an uploaded file. Raises UploadRefused."""
    if len(data) > MOST_BYTES:
        raise UploadRefused(f"an upload has at most {MOST_BYTES // 1000} kB, not {len(data) // 1000} kB")
    if file_name.lower().endswith(".py"):
        files = {USUAL_FILE: data}
    elif file_name.lower().endswith(".zip"):
        files = _without_folder(dict(_files(data)))
    else:
        cure = f"; {NOTEBOOK}" if file_name.lower().endswith(".ipynb") else ""
        raise UploadRefused(
            f"a program is a Python file (.py) or a zip of its folder (.zip), not {file_name[-40:]!r}{cure}"
        )
    if not files:
        raise UploadRefused("the zip has no files")
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{len(name)}:{len(content)}:{name}".encode() + content)
    return Upload(digest.hexdigest()[:12], _packed(files))


def check_number(handed_in: Sequence[float], now: float) -> None:
    """Check that a bot that uploaded versions at these times may upload one more. Raises TooMany."""
    if len(handed_in) >= MOST_VERSIONS:
        raise TooMany(
            f"a bot has at most {MOST_VERSIONS} versions, and this bot has reached that; you can still use an older one"
        )
    lately = sorted(at for at in handed_in if at > now - DAY_S)
    if len(lately) >= MOST_A_DAY:
        minutes = max(1, math.ceil((lately[-MOST_A_DAY] + DAY_S - now) / 60))
        wait = f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
        raise TooMany(f"{MOST_A_DAY} versions are accepted in 24 hours; try again in {wait}")


def unpack(archive: bytes, folder: Path) -> None:
    """Write the files of an archive of `read_upload` into a folder, which is made.

    All may be executed: what was packed on Windows does not say which are programs.
    """
    folder.mkdir(parents=True)
    for name, content in _files(archive):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(EXECUTABLE)


def _files(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file of a zip that is not ignored. Raises UploadRefused."""
    left, names, folders = MOST_UNPACKED, set[str](), set[str]()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not _with_slashes(entry.filename).endswith("/")]
            entries = [entry for entry in entries if not _is_ignored(_with_slashes(entry.filename))]
            if len(entries) > MOST_FILES:
                raise UploadRefused(f"a zip holds at most {MOST_FILES} files, not {len(entries)}; leave some out")
            for entry in entries:
                name = _checked_name(entry)
                above = {str(folder).casefold() for folder in PurePosixPath(name).parents}
                if name.casefold() in names | folders or above & names:
                    raise UploadRefused(f"two files of the zip are called {name!r}, or one is in the other")
                names.add(name.casefold())
                folders |= above
                content = _read(archive, entry, left)
                left -= len(content)
                yield name, content
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, UploadRefused):
            raise
        raise UploadRefused(f"the zip cannot be read: {error}") from None


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The content of a file, never more than is allowed, even if the zip declares another size."""
    content = bytearray()
    with archive.open(entry) as file:
        while piece := file.read(READ):
            content += piece
            if len(content) > most:
                raise UploadRefused(f"the files of a zip are at most {MOST_UNPACKED // 1_000_000} MB together")
    return bytes(content)


def _checked_name(entry: zipfile.ZipInfo) -> str:
    name = _with_slashes(entry.filename)
    path = PurePosixPath(name)
    odd = ":" in name or not name.isprintable() or not path.parts
    if odd or path.is_absolute() or ".." in path.parts or len(name.encode()) > LONGEST_NAME:
        raise UploadRefused(f"the zip has a file outside its folder or with a name that is not allowed: {name[:80]!r}")
    if entry.external_attr >> 16 & KIND == LINK:
        raise UploadRefused(f"{name} is a symbolic link; put the file itself into the zip")
    if entry.flag_bits & ENCRYPTED:
        raise UploadRefused("the zip is encrypted; make one without a password")
    return str(path)


def _with_slashes(name: str) -> str:
    """Some programs on Windows, such as PowerShell's Compress-Archive, write the folders of a zip with backslashes."""
    return name.replace("\\", "/")


def _is_ignored(name: str) -> bool:
    return any(part in IGNORED for part in PurePosixPath(name).parts)


def _without_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """A zip of a folder holds that folder, perhaps in others; its files are meant."""
    while files and all("/" in name for name in files) and len({name.partition("/")[0] for name in files}) == 1:
        files = {name.partition("/")[2]: content for name, content in files.items()}
    return files


def _packed(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            # a fixed date, so that equal files give equal bytes
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
