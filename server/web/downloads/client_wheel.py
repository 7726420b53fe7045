"""The client as a wheel, made from the package that this server runs from: `pip install http://HOST:PORT/client/...whl`.

Works from an installed wheel and from a checkout alike, without network, build tool or writing a file. The same
files give the same bytes. It holds everything of ours; what is installed beside it is chosen by the extras.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from tabiya.server.web.documents.files import served_files

NAME = "tabiya"
TAG = "py3-none-any"
WHEEL = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: true\nTag: {TAG}\n"
NOT_SHIPPED = frozenset({".pyc", ".pyo", ".nbi", ".nbc"})  # caches of interpreter and compiler
METADATA_FILES = frozenset({"METADATA", "entry_points.txt", "licenses"})  # the other files are written by the installer
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file can hold


class NoWheelError(Exception):
    """No wheel can be made of what this server runs from; the text says why."""


class ClientWheel(NamedTuple):
    """name: of the file, which installers read.  sha256: in hexadecimal digits."""

    name: str
    data: bytes
    sha256: str


@functools.cache
def client_wheel() -> ClientWheel:
    """The wheel, made once in a process; takes a fraction of a second. Raises NoWheelError, OSError."""
    try:
        installed = distribution(NAME)
    except PackageNotFoundError:
        raise NoWheelError(
            f"{NAME} runs here without being installed, so it cannot be offered for installation"
        ) from None
    folder = f"{NAME}-{installed.version}.dist-info"
    sources = dict(_sources()) | dict(_documents())
    files = [*sorted(sources.items()), *_description(installed, folder), (f"{folder}/WHEEL", WHEEL.encode())]
    data = _zipped(files, f"{folder}/RECORD")
    return ClientWheel(f"{NAME}-{installed.version}-{TAG}.whl", data, hashlib.sha256(data).hexdigest())


def _sources() -> Iterator[tuple[str, bytes]]:
    """Every file of the package, by its path in the wheel."""
    root = Path(__file__).absolute().parents[3]  # not resolved: in a checkout that would leave the folder `tabiya`
    for top in root.iterdir():  # in a checkout the rooms are links, which rglob follows only where it starts
        for path in (top, *top.rglob("*")):
            inside = path.relative_to(root)
            hidden = any(part.startswith((".", "__pycache__")) for part in inside.parts)
            if path.is_file() and not hidden and path.suffix not in NOT_SHIPPED:
                yield f"{NAME}/{inside.as_posix()}", path.read_bytes()


def _documents() -> Iterator[tuple[str, bytes]]:
    """The documents that travel in the package, also from a checkout, where they lie elsewhere."""
    for path, file in served_files().items():
        yield f"{NAME}/server/web/docs/{path}", file.read_bytes()


def _description(installed: Distribution, folder: str) -> Iterator[tuple[str, bytes]]:
    """Metadata, commands and licence as they were installed here."""
    for file in sorted(installed.files or (), key=str):
        inside = file.parts[1:]
        if file.parts[0].endswith(".dist-info") and inside and inside[0] in METADATA_FILES:
            yield "/".join((folder, *inside)), file.read_binary()


def _zipped(files: Iterable[tuple[str, bytes]], record: str) -> bytes:
    """The wheel's bytes: the files and, last, the record of them all."""
    memory, lines = io.BytesIO(), []
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files:
            archive.writestr(_entry(path), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}\n")
        archive.writestr(_entry(record), "".join([*lines, f"{record},,\n"]))
    return memory.getvalue()


def _entry(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, ZIP_EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16  # the mode of a file on Unix
    return entry
