"""Writes a file whole or not at all: no error costs an earlier one, and no reader sees half of a new one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` when the block ends without an error. Raises OSError.

    What is there and no file, such as a pipe, is written to as it is.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    target = path.resolve()  # a link stays a link
    half = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        with half.open("wb") as file:
            yield file
        half.replace(target)
    except OSError as error:
        if error.filename == str(half):
            error.filename = str(path)
        raise
    finally:
        half.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """The same for a text, in UTF-8."""
    with whole_file(path) as file:
        file.write(text.encode())
