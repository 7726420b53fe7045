"""A match that is killed, stopped or decided early: what is known stays known, and no game counts twice."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import pytest

from scripts.long_runs.lost_workers import games_in
from tabiya.bots.client.events import silent
from tabiya.games.openings import distinct_openings
from tabiya.games.registry import load_game
from tabiya.match.game_files import GameFiles
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.server.ratings.sprt import Sprt
from tests.source_rules.sources import ROOT
from tests.tabiya.match.recount import recount

pytestmark = pytest.mark.slow


def command(players: tuple[str, str], database: Path, *words: str) -> list[str]:
    head = [sys.executable, "-m", "tabiya", "match", *players, "-g", "nim", "-n", "60", "-j", "1"]
    return [*head, "-d", str(database), "--format", "json", *words]


WAITING = """

class Waiting(Last):
    answers = 0

    async def choose(self, turn):
        Waiting.answers += 1
        while Waiting.answers > 50 and not Path({file!r}).exists():
            await asyncio.sleep(0.01)
        return await super().choose(turn)
"""


def test_a_match_killed_in_the_middle_goes_on_and_has_each_game_once(players: tuple[str, str], tmp_path: Path) -> None:
    """One player waits in the middle, so that the match cannot be over before it is killed."""
    database, goes_on = tmp_path / "games.db", tmp_path / "goes on"
    file = tmp_path / "players.py"
    file.write_text("import asyncio\nfrom pathlib import Path\n" + file.read_text() + WAITING.format(file=str(goes_on)))
    players = (players[0], players[1].replace("Last", "Waiting"))
    with subprocess.Popen(command(players, database), cwd=ROOT, stdout=subprocess.PIPE) as process:
        try:
            while games_in(database) < 5 and process.poll() is None:
                time.sleep(0.005)
        finally:
            process.kill()
    assert games_in(database) < 60
    goes_on.touch()
    done = subprocess.run([*command(players, database), "--resume"], check=True, cwd=ROOT, capture_output=True)
    values = json.loads(done.stdout)
    assert [game["number"] for game in values["games"]] == list(range(1, 61))
    assert values["players"][0]["games"] == 60
    assert 5 <= values["match"]["resumed_games"] < 60
    found = asyncio.run(recount(str(database), "nim", "First", "Waiting"))
    assert len({record.key for record in found.records}) == len(found.records) == 60
    assert {record.status for record in found.records} == {"ended"}
    began = [found.ended[number].start_text for number in range(60)]
    drawn = islice(cycle(distinct_openings(load_game("nim"), 0, None)), 30)
    assert began == [opening.start_text for opening in drawn for _ in range(2)]


async def test_nothing_to_resume_is_said_and_files_of_before_are_left(
    in_process: tuple[str, str], tmp_path: Path
) -> None:
    plan = MatchPlan(in_process, "nim", 1, database=str(tmp_path / "games.db"), resume=True)
    pgn = tmp_path / "games.pgn"
    pgn.write_text("of before")
    with GameFiles(plan, pgn, None) as files:
        with pytest.raises(MatchFailed, match="there is nothing to resume in"):
            await play(plan, MatchScore(), silent, on_game_over=files.keep)
        assert pgn.read_text() == "of before"
        await play(replace(plan, resume=False), MatchScore(), silent, on_game_over=files.keep)
    assert pgn.read_text().startswith("[Event ")
    assert pgn.read_text().count("[Result ") == 2


async def test_what_differs_from_the_match_that_was_begun_is_named(in_process: tuple[str, str], tmp_path: Path) -> None:
    plan = MatchPlan(in_process, "nim", 1, database=str(tmp_path / "games.db"))
    await play(plan, MatchScore(), silent)
    other = replace(
        plan,
        resume=True,
        time_control="9+0",
        options={"heaps": "1,2"},
        openings=("1,2 normal 1",),
        emergency_moves=True,
    )
    with pytest.raises(MatchFailed) as failed:
        await play(other, MatchScore(), silent)
    assert str(failed.value).endswith(
        "games.db: the last match there had other options: --time (was 10+0.1), --option (was not given), "
        "--openings, --on-failure"
    )
    with pytest.raises(MatchFailed, match=r"options: first PLAYER \(was .*First\), second PLAYER \(was "):
        await play(replace(plan, players=(in_process[1], in_process[0]), resume=True), MatchScore(), silent)


async def test_a_decided_test_ends_the_match(in_process: tuple[str, str], tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    test = Sprt(elo0=0, elo1=300, alpha=0.2, beta=0.2, model="logistic")
    plan = MatchPlan(in_process, "nim", 400, database=str(database), sprt=test)
    played = MatchScore()
    await play(plan, played, silent)
    assert played.verdict in ("accept H0", "accept H1")
    assert 2 <= len(played.games) < 800
    found = await recount(str(database), "nim", "First", "Last")
    assert test.verdict(found.pairs) == test.verdict(played.pairs) == played.verdict
    assert {record.status for record in found.records} == {"ended"}


def hear_ctrl_c() -> None:
    """Even if the tests run where it is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_says_what_is_known(players: tuple[str, str], tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = [sys.executable, "-m", "tabiya", "match", *players, "-g", "connect5", "-n", "400", "-j", "1"]
    with (tmp_path / "err").open("w") as err:
        process = subprocess.Popen(
            [*words, "--format", "json", "--pgn", str(pgn)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            preexec_fn=hear_ctrl_c,  # noqa: PLW1509 (nothing of this process is touched)
        )
        try:
            while process.poll() is None and not (pgn.exists() and pgn.stat().st_size):
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130, (tmp_path / "err").read_text()
    values = json.loads(out)
    assert 2 <= values["players"][0]["games"] < 400
    assert pgn.read_text().count("[Result ") == len(values["games"])
