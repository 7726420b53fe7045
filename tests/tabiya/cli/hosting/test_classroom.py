"""`tabiya class run`: a folder of programs is examined, plays, and is graded; killed, it goes on where it was."""

from __future__ import annotations

import asyncio
import csv
import json
import signal
import socket
import sys
from pathlib import Path
from unittest import mock

import psutil
import pytest

from tabiya.check.grade import CheckReport
from tabiya.check.launcher import CommandLauncher
from tabiya.check.scenario import Scenario, ScenarioResult, Status
from tabiya.classroom import check_submissions
from tabiya.classroom.record import Rules, freeze, load
from tabiya.classroom.submissions import find_submissions
from tabiya.processes import compile_kernels
from tests.live import ROOT
from tests.tabiya.cli.command_runner import Said, Shell, tabiya
from tests.tabiya.sandbox.sandboxes import on_linux

pytestmark = pytest.mark.slow

PLAIN = """
import json, os, sys, time
from websockets.sync.client import connect

with connect(sys.argv[1]) as server:
    server.send(json.dumps({{"type": "hello", "name": os.environ["TABIYA_NAME"], "games": ["nim"],
                            "token": os.environ.get("TABIYA_TOKEN", "")}}))
    for text in server:
        turn = json.loads(text)
        if turn["type"] == "turn":
            {thinking}
            move = turn["legal_moves"][{which}]
            server.send(json.dumps({{"type": "move", "match": turn["match"], "ply": turn["ply"], "move": move}}))
"""
PLAIN_JSON = ("--no-check", "--format", "json")
HEAPS = ("--game", "nim", "--time", "5/move", "--pages-port", "0")


def submit(folder: Path, name: str, which: int = 0, thinking: str = "pass") -> None:
    """A program that plays Nim without our library."""
    (folder / name).mkdir(parents=True)
    (folder / name / "bot.mine").write_text(PLAIN.format(which=which, thinking=thinking))
    (folder / name / "command.txt").write_text(f"'{sys.executable}' bot.mine\n")


@pytest.fixture
def finds_us(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that a class in this process starts import our code."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def played(submissions: Path, into: Path, *words: str) -> Said:
    """What a run of a class in this process has said that came to its end."""
    result = tabiya("class", "run", str(submissions), *HEAPS, "--output", str(into), *PLAIN_JSON, *words)
    assert result.status == 0, result.err
    return result


def test_submissions_play_a_qualifier_and_a_final_and_are_graded(finds_us: None, tmp_path: Path) -> None:
    submissions, into = tmp_path / "subs", tmp_path / "run"
    submit(submissions, "ada")
    submit(submissions, "bob", which=-1)
    (submissions / "dan.py").write_text("def (")
    printed = played(submissions, into, "--final", "2", "--final-rounds", "1")
    rows = {row["name"]: row for row in printed.rows}
    assert [printed.rows[0]["rank"], printed.rows[2]["rank"]] == [1, None]
    assert "not valid Python" in rows["dan.py"]["note"]
    assert rows["ada"]["games"] == rows["bob"]["games"] == 4
    assert rows["ada"]["points"] + rows["bob"]["points"] == 2
    assert rows["ada"]["final_points"] + rows["bob"]["final_points"] == 2
    assert 0 < rows["ada"]["mean_move_ms"] <= rows["ada"]["max_move_ms"] < 5_000
    with (into / "grades.csv").open() as file:
        assert [row["name"] for row in csv.DictReader(file)] == [row["name"] for row in printed.rows]


def test_every_submission_earns_points_from_the_staff_bots_and_again_only_what_has_changed_is_played(
    finds_us: None, tmp_path: Path
) -> None:
    submissions, into = tmp_path / "subs", tmp_path / "run"
    submit(submissions, "ada")
    submit(submissions, "bob", which=-1)
    staff = ("--staff", "random=4@0-1", "--staff", "perfect-nim=6", "--staff-rounds", "1", "--qualifier", "none")
    gradebook = ("--grades-for", "canvas", "--assignment", "Nim")
    first = played(submissions, into, *staff, *gradebook)
    before = {row["name"]: row for row in first.rows}
    assert list(before)[2:] == ["staff perfect-nim", "staff random"]
    for name in ("ada", "bob"):
        assert before[name]["games"] == 4
        against = dict(text.split() for text in before[name]["staff"].split(", "))
        taken = {player: float(score.removesuffix("/2")) for player, score in against.items()}
        assert before[name]["grade"] == 4 * (taken["random"] > 0) + 3 * taken["perfect-nim"]
    with (into / "grades-canvas.csv").open() as file:
        assert {row["Student"]: row["Nim"] for row in csv.DictReader(file)} == {
            "Points Possible": "10.0",
            **{name: str(before[name]["grade"]) for name in ("ada", "bob")},
        }
    assert before["staff random"]["games"] == 4
    assert before["ada"]["points"] is None

    (submissions / "ada" / "bot.mine").write_text(PLAIN.format(which=-1, thinking="pass"))
    second = played(submissions, into, *staff, "--again")
    assert "1 of 2 versions keep their games" in second.err
    after = {row["name"]: row for row in second.rows}
    assert after["bob"] == before["bob"] | {"rank": after["bob"]["rank"], "note": after["bob"]["note"]}
    assert "those of run 1" in after["bob"]["note"]
    assert (after["ada"]["games"], after["staff random"]["games"]) == (4, 2)
    assert after["ada"]["version"] != before["ada"]["version"]

    third = played(submissions, into, *staff, "--again")
    assert "2 of 2 versions keep their games" in third.err
    assert "watch it at" not in third.err  # nothing is left to play
    assert [row["grade"] for row in third.rows[:2]] == [row["grade"] for row in second.rows[:2]]


ROBBER = """
import json, os
from pathlib import Path
from tabiya import Bot

class Robber(Bot):
    games = ("nim",)

    def choose(self, turn):
        within = Path(__file__).resolve().parents[2]
        wanted = [within / "class.json", within / "class.db", Path("/etc/passwd")]
        seen = [str(path) for path in wanted if path.exists()]
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                seen += [str(path)] if b"TABIYA_OPERATOR_TOKEN" in path.read_bytes() else []
            except OSError:
                pass
        seen += [name for name in os.environ if "TOKEN" in name]
        if os.fork() == 0 and os.fork() == 0:
            import time
            time.sleep(600)
        raise RuntimeError("seen: " + json.dumps(seen))
"""


@on_linux
def test_a_hostile_submission_sees_nothing_and_leaves_nothing(finds_us: None, tmp_path: Path) -> None:
    submissions, into = tmp_path / "subs", tmp_path / "run"
    submit(submissions, "ada")
    (submissions / "eve.py").write_text(ROBBER)
    printed = played(submissions, into)
    assert "sandbox for programs: bubblewrap" in printed.err
    [eve] = [row for row in printed.rows if row["name"] == "eve"]
    assert (eve["points"], eve["wins"]) == (0, 0)
    assert "its program failed in" in eve["note"]
    assert "RuntimeError: seen: []" in eve["note"]
    assert "RuntimeError: seen: []" in (into / "logs" / "002.log").read_text()
    assert not [process for process in psutil.process_iter() if str(into) in " ".join(_command_line(process))]


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:  # it has ended, or is somebody's
        return []


async def test_a_run_that_is_killed_goes_on_with_the_frozen_versions(
    finds_us: None, shell: Shell, tmp_path: Path
) -> None:
    submissions, into = tmp_path / "subs", tmp_path / "run"
    for name in ("ada", "bob", "eve"):
        submit(submissions, name, thinking="time.sleep(0.02)")
    killed = shell.start(
        *("class", "run", str(submissions), *HEAPS, "--output", str(into), *PLAIN_JSON, "--rounds", "4")
    )
    await killed.says("of 24 games")
    await killed.ends(signal.SIGKILL)
    submit(submissions, "late")
    (submissions / "ada" / "bot.mine").write_text("broken")
    gone = ("--add-player", f"{tmp_path / 'gone.py'}:Bot")  # a run that has begun needs no file of a player any more
    printed = await asyncio.to_thread(played, submissions, into, "--rounds", "4", *gone)
    assert "goes on, with its rules and the versions that were submitted" in printed.err
    assert [row["games"] for row in printed.rows] == [16, 16, 16]
    assert sum(row["points"] for row in printed.rows) == 24
    assert {row["on_time"] for row in printed.rows} == {0}


def test_a_dry_run_examines_anew_only_what_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submissions, into = tmp_path / "subs", tmp_path / "run"
    submit(submissions, "ada")
    submit(submissions, "bob")
    monkeypatch.setattr(check_submissions, "check", looks_into_the_file)
    words = ("class", "run", str(submissions), *HEAPS, "--output", str(into), "--dry-run")
    first = tabiya(*words)
    assert "2 submissions are checked first" in first.err
    assert "2 bots, 2 games: about 2 seconds" in first.err
    (submissions / "bob" / "bot.mine").write_text("no bot any more")
    submit(submissions, "eve")
    second = tabiya(*words, "--format", "json")
    assert "2 submissions are checked first" in second.err
    assert [(row["name"], row["check"]) for row in second.rows] == [("ada", 100), ("bob", 0), ("eve", 100)]
    record = load(into)
    assert record is not None
    assert (record.qualifier, json.loads((into / "class.json").read_text())["qualifier"]) == (None, None)


def test_a_port_that_is_taken_is_said_before_a_class_is_examined(tmp_path: Path) -> None:
    submit(tmp_path / "subs", "ada")
    submit(tmp_path / "subs", "bob")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = tabiya("class", "run", str(tmp_path / "subs"), "--game", "nim", "--pages-port", port)
    assert result.sentence == (
        f"cannot listen on 127.0.0.1 port {port}: another program listens there "
        "(choose another with --pages-port; 0 takes any free one)"
    )


def test_what_a_player_of_ours_needs_is_compiled_before_it_is_examined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[object] = []
    monkeypatch.setattr(compile_kernels, "warm_all", lambda games, _: steps.append(games))
    monkeypatch.setattr(check_submissions, "check_submissions", lambda *_: steps.append("examined"))
    submit(tmp_path / "subs", "ada")
    submit(tmp_path / "subs", "bob")
    words = ("class", "run", str(tmp_path / "subs"), *HEAPS, "--dry-run")
    tabiya(*words, "--output", str(tmp_path / "without"))
    assert steps == ["examined"]
    tabiya(*words, "--output", str(tmp_path / "with"), "--add-player", "greedy")
    assert steps[1:] == [("nim",), "examined"]


def test_what_happened_to_a_bot_stands_below_the_table(tmp_path: Path) -> None:
    submit(tmp_path / "subs", "ada")
    submit(tmp_path / "subs", "bob")
    (tmp_path / "subs" / "dan.py").write_text("def (")
    result = tabiya("class", "run", str(tmp_path / "subs"), *HEAPS, "--dry-run", "--no-check")
    table, _, notes = result.out.partition("\n\n")
    assert "note" not in table
    assert notes.startswith("dan.py: ")


def test_programs_that_are_alike_are_named_to_the_teacher(tmp_path: Path) -> None:
    submit(tmp_path / "subs", "ada")
    submit(tmp_path / "subs", "bob")
    for name in ("ada", "bob"):
        (tmp_path / "subs" / name / "helper.py").write_text(f"{name} = [1, 2]\n" * 20)
    result = tabiya("class", "run", str(tmp_path / "subs"), *HEAPS, "--dry-run", *PLAIN_JSON)
    assert [row["note"] for row in result.rows] == [f"its program is 100 % that of {name}" for name in ("bob", "ada")]


async def looks_into_the_file(
    launcher: CommandLauncher, *_: object, games: tuple[str, ...], **__: float
) -> CheckReport:
    """Stands for a check, which takes a while: full marks for what connects, nothing for anything else."""
    assert launcher._folder is not None
    connects = "connect" in (launcher._folder / "bot.mine").read_text()
    first = Scenario("hello", "says hello", 10, "connecting", mock.AsyncMock(), first=True)
    whole = Scenario(f"{games[0]}/whole", "plays a whole game", 10, "playing", mock.AsyncMock())
    status = Status.PASSED if connects else Status.FAILED
    return CheckReport(
        (ScenarioResult(first, status, "It said nothing."), ScenarioResult(whole, status, took_s=1.0)), "bot", games
    )


async def test_what_fails_at_its_first_turn_does_not_play(tmp_path: Path) -> None:
    submit(tmp_path / "subs", "eve", thinking="sys.exit('I give up')")
    [submission], _ = find_submissions(tmp_path / "subs")
    rules = Rules(
        game="nim", time_control="2/move", format="swiss", rounds=1, final=0, final_rounds=1, seed=0, sandbox="none"
    )
    entry = freeze(submission, tmp_path / "run", 1)
    lines: list[str] = []
    await asyncio.to_thread(check_submissions.check_submissions, [entry], rules, tmp_path / "run", lines.append)
    assert (entry.grade is not None and entry.grade < 20, "It was gone" in entry.problem) == (True, True)
    assert lines == [f"  1 of 1  eve: does not play: {entry.problem}"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nowhere", "--game", "nim"), "nowhere is not a folder"),
        ((".", "--game", "nim"), "holds 0 bots; a tournament needs two"),
        ((".", "--game", "nimm"), "nimm"),
        ((".", "--game", "nim", "--time", "soon"), "soon"),
        (
            (".", "--game", "nim", "--qualifier", "lottery"),
            "the qualifier is round_robin, swiss or none, not 'lottery'",
        ),
        ((".", "--game", "nim", "--qualifier", "none"), "name staff bots with --staff"),
        ((".", "--game", "nim", "--qualifier", "none", "--final", "2"), "--final needs a qualifier"),
        ((".", "--game", "nim", "--qualifier", "none", "--staff", "random=1"), "holds 0 bots; one is needed"),
        ((".", "--game", "nim", "--staff", "nobody=3"), "nobody"),
        ((".", "--game", "nim", "--again", "--dry-run"), "--again plays"),
        ((".", "--game", "nim", "--again"), "there is no earlier run in"),
        ((".", "--game", "nim", "--assignment", "ID"), "cannot be called 'ID'"),
        ((".", "--game", "nim", "--staff", "greedy"), "--staff takes PLAYER=POINTS"),
        ((".", "--game", "nim", "--add-player", "nobody"), "nobody"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], sentence: str
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert sentence in tabiya("class", "run", *words).sentence


def test_without_staff_bots_there_is_nothing_to_give_to_a_gradebook(tmp_path: Path) -> None:
    submit(tmp_path / "subs", "ada")
    submit(tmp_path / "subs", "bob")
    result = tabiya("class", "run", str(tmp_path / "subs"), *HEAPS, "--dry-run", "--no-check", "--grades-for", "moodle")
    assert "name some with --staff" in result.sentence


def test_a_folder_with_other_things_is_no_place_for_a_run(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    submit(tmp_path / "subs", "ada")
    submit(tmp_path / "subs", "bob")
    result = tabiya("class", "run", str(tmp_path / "subs"), *HEAPS, "--output", str(tmp_path))
    assert "is not a run of `tabiya class run`" in result.sentence
