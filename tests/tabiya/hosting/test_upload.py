"""Uploads: what is taken, what is refused and why, and that nothing leaves its folder."""

from __future__ import annotations

import contextlib
import io
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tabiya.hosting.upload import (
    DAY_S,
    MOST_A_DAY,
    MOST_FILES,
    MOST_VERSIONS,
    TooMany,
    UploadRefused,
    check_number,
    read_upload,
    unpack,
)

BOT = b"class Mine(Bot): ...\n"


def zipped(files: dict[str, bytes], **of_each: Any) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            for key, value in of_each.items():
                setattr(entry, key, value)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def unpacked(archive: bytes, folder: Path) -> dict[str, bytes]:
    unpack(archive, folder)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_file_is_the_bot(tmp_path: Path) -> None:
    assert unpacked(read_upload("my bot.PY", BOT).archive, tmp_path / "1") == {"bot.py": BOT}


def test_a_zip_of_a_folder_is_what_is_in_the_folder(tmp_path: Path) -> None:
    files = {"bot.py": BOT, "data/book.txt": b"e4", "empty.txt": b""}
    rubbish = {"__MACOSX/._bot.py": b"x", "data/__pycache__/a.pyc": b"x", ".DS_Store": b"x"}
    plain = read_upload("a.zip", zipped(files | rubbish))
    assert unpacked(plain.archive, tmp_path / "1") == files
    inside = {f"mine/{name}": content for name, content in files.items()}
    assert read_upload("b.zip", zipped(inside)) == plain
    assert read_upload("c.zip", zipped({f"term/week 3/{name}": content for name, content in inside.items()})) == plain


def test_a_zip_whose_folders_are_written_with_backslashes_is_taken_as_meant() -> None:
    files = {"bot.py": BOT, "data/book.txt": b"e4"}
    windows = {"mine\\": b"", "mine\\bot.py": BOT, "mine\\data\\book.txt": b"e4", "mine\\__pycache__\\a.pyc": b"x"}
    assert read_upload("a.zip", zipped(windows)) == read_upload("b.zip", zipped(files))


def test_the_same_files_have_the_same_digest_and_others_another() -> None:
    one = read_upload("a.zip", zipped({"a.py": b"1", "b.py": b"2"}))
    assert read_upload("b.zip", zipped({"b.py": b"2", "a.py": b"1"}, date_time=(2020, 2, 2, 2, 2, 2))) == one
    others = [{"a.py": b"12", "b.py": b""}, {"a.py": b"1", "c.py": b"2"}, {"a.py": b"1"}]
    assert one.digest not in {read_upload("a.zip", zipped(files)).digest for files in others}


@pytest.mark.parametrize(
    "name", ["../bot.py", "/etc/passwd", "a/../../b.py", "..\\b.py", "C:/b.py", "a\nb.py", "x" * 201, "ß" * 101, "."]
)
def test_a_file_that_would_leave_its_folder_is_refused(name: str) -> None:
    with pytest.raises(UploadRefused):
        read_upload("a.zip", zipped({"bot.py": BOT, name: b"x"}))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped({"bot.py": BOT, "link": b"/etc/passwd"}, external_attr=0o120777 << 16), "symbolic link"),
        (zipped({"bot.py": BOT, "BOT.PY": BOT}), "two files"),
        (zipped({"data/a": b"", "bot.py": BOT, "DATA": b""}), "two files"),
        (zipped({"bot.py": BOT, "data": b"", "DATA/a": b""}), "two files"),
        (zipped({f"{i}.py": b"" for i in range(MOST_FILES + 1)}), "at most 300 files"),
        (zipped({"bot.py": bytes(8_000_001)}), "8 MB together"),
        (zipped({"a": bytes(5_000_000), "b": bytes(5_000_000)}), "8 MB together"),
        (random.Random(1).randbytes(1_000_001), "at most 1000 kB"),
        (b"PK no zip", "cannot be read"),
        (zipped({}), "no files"),
        (zipped({"__MACOSX/a": b"x"}), "no files"),
    ],
)
def test_what_is_too_much_or_no_program_is_refused_with_a_sentence(data: bytes, words: str) -> None:
    with pytest.raises(UploadRefused, match=words):
        read_upload("a.zip", data)


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(UploadRefused, match=r"not 'bot\.ipynb'; save a notebook as a Python file"):
        read_upload("bot.ipynb", b"{}")
    with pytest.raises(UploadRefused, match=r"not 'bot\.exe'"):
        read_upload("bot.exe", BOT)


def test_a_zip_with_false_sizes_is_read_only_up_to_the_limit() -> None:
    bomb = bytearray(zipped({"bot.py": bytes(9_000_000)}))
    at = bomb.rindex(b"PK\x01\x02") + 24  # the size in the directory of the zip
    bomb[at : at + 4] = (100).to_bytes(4, "little")
    with pytest.raises(UploadRefused):
        read_upload("a.zip", bytes(bomb))


def test_whatever_is_uploaded_is_taken_or_refused_in_a_sentence() -> None:
    whole, draw = zipped({"bot.py": BOT, "data/a.bin": random.Random(2).randbytes(500)}), random.Random(3)
    for _ in range(400):
        broken = bytearray(whole)
        for _ in range(draw.randint(1, 6)):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        with contextlib.suppress(UploadRefused):
            read_upload("a.zip", bytes(broken[: draw.randint(0, len(broken))]))


def test_so_many_versions_are_taken_in_a_day_and_then_one_for_each_that_is_a_day_old() -> None:
    minute = [60.0 * number for number in range(MOST_A_DAY)]
    check_number(minute[:-1], now=6000.0)
    for now, wait in ((6000.0, "22 h 20 min"), (DAY_S - 3600.0, "1 h 0 min"), (DAY_S - 1.0, "1 min")):
        with pytest.raises(TooMany, match=f"{MOST_A_DAY} versions are accepted in 24 hours; try again in {wait}$"):
            check_number(minute[::-1], now)
    check_number(minute, now=DAY_S)
    with pytest.raises(TooMany, match=r"try again in 1 min$"):
        check_number([*minute, DAY_S], now=DAY_S)


def test_a_bot_has_so_many_versions_at_most_however_long_it_takes() -> None:
    days = [DAY_S * number for number in range(MOST_VERSIONS)]
    check_number(days[:-1], now=days[-1])
    with pytest.raises(TooMany, match=f"at most {MOST_VERSIONS} versions"):
        check_number(days, now=days[-1] + 30 * DAY_S)
