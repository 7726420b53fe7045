"""The files of a match: whose games may be replaced, and what is said of a disk that is full."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tabiya.bots.client.events import silent
from tabiya.match.game_files import GameFiles
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tests.tabiya.cli.command_runner import tabiya

PLAN = MatchPlan(("random", "random"), "nim", 1)


@pytest.mark.parametrize("option", ["--pgn", "--export"])
def test_the_games_of_an_earlier_match_are_not_replaced(tmp_path: Path, option: str) -> None:
    earlier = tmp_path / "games"
    earlier.write_text("of last night")
    result = tabiya("match", "random", "random", "-g", "nim", "-n", "2", option, str(earlier))
    assert f"{earlier} cannot be written: it is not empty; name another file or remove it" in result.sentence
    assert earlier.read_text() == "of last night"


@pytest.mark.skipif(os.name == "nt", reason="needs flock")
@pytest.mark.parametrize("resume", [False, True])
def test_two_matches_do_not_write_the_same_file(tmp_path: Path, resume: bool) -> None:
    path = tmp_path / "games.pgn"
    plan = replace(PLAN, resume=resume)
    with GameFiles(plan, path, None), pytest.raises(BlockingIOError, match=r"another command .*: '.*games\.pgn'"):
        GameFiles(plan, None, path)
    with GameFiles(plan, None, path):
        pass


def test_transcripts_and_lines_need_a_file_each() -> None:
    result = tabiya("match", "random", "random", "-g", "nim", "--pgn", "games", "--export", "games")
    assert result.sentence == "--pgn and --export need a file each"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_when_the_disk_is_full_the_file_is_named_and_the_result_so_far_shown() -> None:
    result = tabiya(
        "match", "random", "random", "-g", "nim", "-n", "400", "-j", "1", "--pgn", "/dev/full", "--format", "json"
    )
    assert result.status == 1
    assert result.err.endswith("tabiya: /dev/full cannot be written: No space left on device\n")
    assert 2 <= result.rows["match"]["games"] < 400


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
async def test_games_go_into_a_pipe(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with GameFiles(PLAN, pipe, None) as files:
        await play(PLAN, MatchScore(), silent, on_game_over=files.keep)
    reader.join(30)
    assert [text.count("[Result ") for text in read] == [2]
