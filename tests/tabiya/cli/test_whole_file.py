"""A file is there whole, as it was before, or as the pipe that it is."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tabiya.cli.whole_file import whole_file, write_whole


def test_an_error_leaves_the_earlier_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    write_whole(path, "earlier ♞")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write(bytes([file.write(b"later") // 0]))
    assert path.read_text("utf-8") == "earlier ♞"
    with pytest.raises(OSError, match="gone") as error:
        write_whole(tmp_path / "gone" / "games.pgn", "later")
    assert error.value.filename == str(tmp_path / "gone" / "games.pgn")
    assert list(tmp_path.glob("games*")) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such links and pipes")
def test_a_link_stays_one_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    path, link, pipe = tmp_path / "games.pgn", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(path)
    write_whole(link, "one")
    assert (path.read_text(), link.is_symlink()) == ("one", True)
    os.mkfifo(pipe)
    read = list[str]()
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "two")
    reader.join()
    assert (read, pipe.is_fifo()) == (["two"], True)
