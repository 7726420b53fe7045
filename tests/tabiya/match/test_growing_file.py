"""A file that grows: one process at a time writes it, and a file of somebody else's is left as it is."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from tabiya.match.growing_file import GrowingFile
from tabiya.match.participants import MatchFailed


class Line(Struct):
    number: int


class Numbers(GrowingFile):
    """What it has read stands in `found`."""

    command = "numbers"

    def __init__(self, path: Path, first: int = 1) -> None:
        super().__init__(path, Line(first))

    def _terms_differ(self, earlier: Line) -> str:
        return f"begins with {earlier.number}"

    def _read(self, lines: Iterator[bytes]) -> None:
        self.found = list(lines)

    def add(self, number: int) -> None:
        self._add(Line(number))


def test_a_second_process_is_refused_and_a_later_one_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    with Numbers(path) as first:
        with pytest.raises(BlockingIOError, match=r"another command is writing it: '.*numbers'"):
            Numbers(path)
        first.add(2)
        with path.open("ab") as file:
            file.write(b'{"num')  # killed while it wrote
    with Numbers(path) as second:
        second.add(3)
    with Numbers(path) as third:
        assert third.found == [b'{"number":2}\n', b'{"number":3}\n']
    with pytest.raises(MatchFailed, match="numbers begins with 1; name another file"):
        Numbers(path, first=7)


@pytest.mark.parametrize("begun", [b"", b'{"number"', b'{"number":1}', b'{"number": 1}\n', b'{"number":7}\n'])
def test_a_first_line_that_was_cut_off_or_stands_alone_is_written_again(tmp_path: Path, begun: bytes) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(begun)
    with Numbers(path) as file:
        file.add(2)
    assert path.read_bytes() == b'{"number":1}\n{"number":2}\n'


def test_on_a_file_system_without_locks_it_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOSYS, "not here")

    monkeypatch.setattr(fcntl, "flock", flock)
    with Numbers(tmp_path / "numbers") as file:
        file.add(2)


def test_what_cannot_be_read_again_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MatchFailed, match="pipe is a device or a pipe, which cannot be continued; name another file"):
        Numbers(tmp_path / "pipe")
