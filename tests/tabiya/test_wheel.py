"""What is built for others: one top level, and a match played with it beside files named like our folders."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from tabiya.bots.textbook.catalogue import LISTINGS
from tests.house.sources import ROOMS, ROOT
from tests.laptop import Laptop

OWN = """\
import bots, games, protocol, server, storage
from tabiya import Bot

assert {bots.MINE, games.MINE, protocol.MINE, server.MINE, storage.MINE} == {True}


class Mine(Bot):
    def choose(self, turn):
        return turn.legal_moves[0]
"""


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return sorted(archive.namelist())


def build_wheel(root: Path, folder: Path) -> Path:
    return Path(next(WheelBuilder(str(root)).build(directory=str(folder), versions=["standard"])))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_wheel_has_one_top_level_and_plays_a_match_beside_files_named_like_our_folders(tmp_path: Path) -> None:
    wheel = build_wheel(ROOT, tmp_path / "dist")
    names = names_in(wheel)
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"tabiya", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}
    assert {f"tabiya/{listing.path.removesuffix('.py')}.txt" for listing in LISTINGS} <= set(names)

    laptop = Laptop(tmp_path, "engine", "server")
    laptop.install(str(wheel))
    (tmp_path / "my_bot.py").write_text(OWN)
    for name in ROOMS:
        (tmp_path / f"{name}.py").write_text("MINE = True\n")
    done = subprocess.run(
        [laptop.bin / "tabiya", "match", "my_bot.py:Mine", "random", "--game", "nim", "--games", "2"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Mine" in done.stdout


@pytest.mark.slow
def test_a_wheel_from_the_source_distribution_is_the_same(tmp_path: Path) -> None:
    source = next(SdistBuilder(str(ROOT)).build(directory=str(tmp_path / "dist")))
    subprocess.run(["tar", "xf", source], cwd=tmp_path, check=True)
    unpacked = tmp_path / Path(source).name.removesuffix(".tar.gz")
    assert names_in(build_wheel(unpacked, tmp_path / "again")) == names_in(build_wheel(ROOT, tmp_path / "dist"))
