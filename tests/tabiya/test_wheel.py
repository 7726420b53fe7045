"""What is built for others, installed where nothing of ours is: it plays, and a strict type checker knows its names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from tabiya.bots.textbook.catalogue import LISTINGS
from tests.fresh_environment import FreshEnvironment
from tests.source_rules.sources import ROOMS, ROOT

OWN = """\
import bots, games, protocol, server, storage
from tabiya import Bot

assert {bots.MINE, games.MINE, protocol.MINE, server.MINE, storage.MINE} == {True}


class Mine(Bot):
    def choose(self, turn):
        return turn.legal_moves[0]
"""


TYPED = """\
from typing import assert_type

import tabiya
from tabiya import Bot, Choice, MatchEnded, MoveInfo, Seek, Summary, Turn, load_game, run


class Mine(Bot):
    def choose(self, turn: Turn) -> Choice:
        assert_type(turn.time_left, float)
        assert_type(turn.position().legal_moves(), tuple[str, ...])
        return Choice(turn.legal_moves[0], info=MoveInfo(depth=1))

    def match_ended(self, match: MatchEnded) -> None:
        assert_type(match.reason, str)


def play(address: str) -> None:
    assert_type(run(Mine(), address, seek=Seek(game="nim")), Summary)
    assert_type(load_game("nim").start().ply, int)


for name in tabiya.__all__:
    assert_type(name, str)
"""


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return sorted(archive.namelist())


def build_wheel(root: Path, folder: Path) -> Path:
    return Path(next(WheelBuilder(str(root)).build(directory=str(folder), versions=["standard"])))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the source distribution, as installers do that find no wheel."""
    folder = tmp_path_factory.mktemp("dist")
    source = next(SdistBuilder(str(ROOT)).build(directory=str(folder)))
    subprocess.run(["tar", "xf", source], cwd=folder, check=True)
    return build_wheel(folder / Path(source).name.removesuffix(".tar.gz"), folder)


@pytest.mark.slow
def test_a_wheel_from_the_source_distribution_is_that_of_the_checkout_and_has_one_top_level(
    wheel: Path, tmp_path: Path
) -> None:
    names = names_in(wheel)
    assert names == names_in(build_wheel(ROOT, tmp_path))
    assert {name.partition("/")[0] for name in names} == {"tabiya", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}
    with zipfile.ZipFile(wheel) as archive:
        description = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    assert "](https://" in description
    assert re.findall(r"\]\((?!https?:|#)\S+", description) == []  # a package index has no other files
    assert {f"tabiya/{listing.path.removesuffix('.py')}.txt" for listing in LISTINGS} <= set(names)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_an_installed_wheel_plays_a_match_beside_files_named_like_our_folders(wheel: Path, tmp_path: Path) -> None:
    laptop = FreshEnvironment(tmp_path, "engine", "server")
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
@pytest.mark.timeout(400)
def test_a_strict_type_checker_knows_the_public_names_where_the_base_alone_is_installed(
    wheel: Path, tmp_path: Path
) -> None:
    laptop = FreshEnvironment(tmp_path)
    laptop.install(str(wheel))
    (tmp_path / "typed.py").write_text(TYPED)
    (tmp_path / "untyped.py").write_text("from tabiya import run\n\nrun(7)\n")
    for name, faults in (("typed.py", 0), ("untyped.py", 1)):
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--python-executable"]
        done = subprocess.run(
            [*command, str(laptop.bin / "python"), name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == faults, done.stdout + done.stderr
