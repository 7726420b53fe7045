"""A match that is killed, stopped or decided early: what is known stays known, and no game counts twice."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path

import pytest

from tabiya.bots.client.events import silent
from tabiya.games.openings import distinct_openings
from tabiya.games.registry import load_game
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.server.ratings.sprt import Sprt
from tabiya.server.standings import StandingsCache
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchRecord
from tests.house.sources import ROOT

pytestmark = pytest.mark.slow


async def stored(database: Path) -> list[MatchRecord]:
    store = await open_store(str(database), create=False)
    try:
        return list(await store.list_matches(MatchFilter(limit=1_000)))
    finally:
        await store.close()


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
    records = asyncio.run(stored(database))
    assert len({record.key for record in records}) == len(records) == 60
    assert {record.status for record in records} == {"ended"}
    began = {int(record.key.split("-")[3]): record.start_text for record in records}
    drawn = islice(cycle(distinct_openings(load_game("nim"), 0, None)), 30)
    assert [began[number] for number in range(60)] == [opening.start_text for opening in drawn for _ in range(2)]


def games_in(database: Path) -> int:
    if not database.exists():
        return 0
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        found: int = connection.execute("select count(*) from matches where status = 'ended'").fetchone()[0]
        return found
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


async def test_a_match_resumed_with_more_games_goes_on_to_these(in_process: tuple[str, str], tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    one, more = MatchScore(), MatchScore()
    await play(MatchPlan(in_process, "nim", 2, database=database), one, silent)
    again = MatchPlan(in_process, "nim", 3, database=database, resume=True)
    await play(again, more, silent)
    assert (len(one.games), len(more.games), more.resumed) == (4, 6, 4)
    assert [more.games[number].match for number in range(4)] == [one.games[number].match for number in range(4)]
    store = await open_store(database, create=False)
    try:
        found = await StandingsCache(store).head_to_head("nim", "First", "Last")
    finally:
        await store.close()
    assert found.pairs is not None
    assert found.pairs.counts == more.pairs.counts
    assert sum(found.pairs.counts) == 3


async def test_nothing_to_resume_is_said(in_process: tuple[str, str], tmp_path: Path) -> None:
    plan = MatchPlan(in_process, "nim", 1, database=str(tmp_path / "games.db"), resume=True)
    with pytest.raises(MatchFailed, match="there is nothing to resume in"):
        await play(plan, MatchScore(), silent)


async def test_a_decided_test_ends_the_match(in_process: tuple[str, str], tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    test = Sprt(elo0=0, elo1=300, alpha=0.2, beta=0.2, model="logistic")
    plan = MatchPlan(in_process, "nim", 400, database=str(database), sprt=test)
    played = MatchScore()
    await play(plan, played, silent)
    assert played.verdict in ("accept H0", "accept H1")
    assert 2 <= len(played.games) < 800
    assert test.verdict(played.pairs) == played.verdict
    assert {record.status for record in await stored(database)} == {"ended"}


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
