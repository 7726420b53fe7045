"""A finished run once more: what has not changed is kept, old and new versions are told apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tabiya.classroom.grades import GameTimes, read_games, rows
from tabiya.classroom.preparation import prepared
from tabiya.classroom.record import NO_QUALIFIER, ResourceUsage, Rules, RunRecord, load, save
from tabiya.classroom.rerun import prepare_rerun
from tabiya.classroom.staff import StaffBot
from tabiya.errors import UserError
from tabiya.storage.memory import MemoryStore
from tests.storage.samples import new_match, new_tournament, result, two_bots

STAFF = StaffBot(player="random", points=4)
RULES = Rules(
    game="nim",
    time_control="2/move",
    format=NO_QUALIFIER,
    rounds=0,
    final=0,
    final_rounds=1,
    seed=0,
    sandbox="none",
    staff=(STAFF,),
)


def hand_in(folder: Path, name: str, move: int = 0) -> None:
    text = f"class A(tabiya.Bot):\n    def choose(self, turn):\n        return turn.legal_moves[{move}]\n"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(text)


@pytest.fixture
def first(tmp_path: Path) -> RunRecord:
    """A run of ada and bob that is over."""
    for name in ("ada", "bob"):
        hand_in(tmp_path / "subs", name)
    record = prepared(tmp_path / "subs", (), tmp_path / "run", RULES, print)
    record.staff, record.over = 1, True
    lines: list[dict[str, Any]] = [
        {"rank": 1, "bot": bot, "points": 1.0, "played": 4, "wins": 1, "draws": 0, "losses": 3, "withdrawn": False}
        for bot in ("staff random", "ada", "bob")
    ]
    record.standings = {"staff": lines}
    record.staff_scores = {"ada": {"staff random": (1.0, 4)}, "bob": {"staff random": (2.0, 4)}}
    record.usage = {name: ResourceUsage(cpu_s=7.0) for name in ("staff random", "ada", "bob")}
    for entry in record.entries:
        entry.token, entry.grade = f"token of {entry.name}", 90
    save(tmp_path / "run", record)
    (tmp_path / "run" / "grades.csv").write_text("old grades")
    return record


def play_again(folder: Path, rules: Rules = RULES) -> RunRecord:
    return prepare_rerun(folder / "subs", (), folder / "run", rules, print)


def test_only_what_has_changed_meets_the_staff_bots_again(first: RunRecord, tmp_path: Path) -> None:
    hand_in(tmp_path / "subs", "ada", -1)
    hand_in(tmp_path / "subs", "new")
    record = play_again(tmp_path)
    assert [entry.name for entry in record.new_to_staff] == ["ada", "new"]
    assert [entry.name for entry in record.needed] == ["staff random", "ada", "new"]
    assert record.staff_scores == {"bob": {"staff random": (2.0, 4)}}
    assert ([line["bot"] for line in record.kept], list(record.usage)) == (["bob"], ["bob"])
    since = {entry.name: (entry.since, entry.token, entry.grade) for entry in record.entries}
    assert since["ada"] == (2, "token of ada", None)
    assert since["bob"] == (1, "token of bob", 90)
    assert (record.number, record.earlier, record.staff, record.over) == (2, [1], None, False)


def test_both_versions_and_the_old_record_stay_in_the_folder(first: RunRecord, tmp_path: Path) -> None:
    hand_in(tmp_path / "subs", "ada", -1)
    record = play_again(tmp_path)
    into = tmp_path / "run"
    [old] = [entry for entry in first.entries if entry.name == "ada"]
    [new] = [entry for entry in record.entries if entry.name == "ada"]
    assert old.digest != new.digest
    assert "legal_moves[0]" in (into / old.folder / "ada.py").read_text()
    assert "legal_moves[-1]" in (into / new.folder / "ada.py").read_text()
    assert (into / "grades-1.csv").read_text() == "old grades"
    assert (into / "class-1.json").stat().st_mode & 0o077 == 0
    assert load(into) == record


def test_a_run_that_was_killed_before_its_first_game_goes_on_as_what_it_is(first: RunRecord, tmp_path: Path) -> None:
    hand_in(tmp_path / "subs", "ada", -1)
    record = play_again(tmp_path)
    hand_in(tmp_path / "subs", "ada", 1)
    assert prepared(tmp_path / "subs", (), tmp_path / "run", RULES, print) == record


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({}, ["ada", "bob"]),
        ({"staff": (replace(STAFF, points=9.0, all_from=50.0),)}, ["ada", "bob"]),
        ({"staff": (replace(STAFF, player="greedy"),)}, []),
        ({"time_control": "1/move"}, []),
        ({"staff_rounds": 3}, []),
        ({"memory_mb": 64}, []),
        ({"seed": 1}, []),
    ],
)
def test_games_are_kept_only_if_they_would_be_played_as_they_were(
    first: RunRecord, tmp_path: Path, changes: dict[str, Any], kept: list[str]
) -> None:
    assert sorted(play_again(tmp_path, replace(RULES, **changes)).staff_scores) == kept


def test_missing_submissions_are_named(first: RunRecord, tmp_path: Path) -> None:
    (tmp_path / "subs" / "bob.py").unlink()
    lines: list[str] = []
    record = prepare_rerun(tmp_path / "subs", (), tmp_path / "run", RULES, lines.append)
    assert lines == [
        "bob was in run 1 and is there no more",
        "run 2: 1 of 1 versions keep their games against staff bots",
    ]
    assert (record.needed, list(record.staff_scores)) == ([], ["ada"])


def test_only_a_run_that_is_over_is_played_again(first: RunRecord, tmp_path: Path) -> None:
    first.over = False
    save(tmp_path / "run", first)
    with pytest.raises(UserError, match="is not over"):
        play_again(tmp_path)
    with pytest.raises(UserError, match="there is no earlier run in"):
        prepare_rerun(tmp_path / "subs", (), tmp_path / "nowhere", RULES, print)


async def test_games_of_the_version_before_do_not_count_for_the_new_one(first: RunRecord, tmp_path: Path) -> None:
    hand_in(tmp_path / "subs", "ada", -1)
    record = play_again(tmp_path)
    store = MemoryStore()
    for entry in record.entries:
        entry.name = {"bob": "Bob"}.get(entry.name, entry.name)  # as the store's samples are called
    bots = await two_bots(store)
    tournament = await store.create_tournament(new_tournament(bots))
    assert record.earlier == [tournament]
    match_id = await store.create_match(new_match(bots, tournament_id=tournament, pairing=0, game_index=0))
    await store.finish_match(result(match_id, 0, "time"))
    games = await read_games(store, record)
    assert dict(games.by_name).keys() == {"Bob"}
    assert games.by_name["Bob"].on_time == 1


def test_the_note_says_from_which_run_games_are(first: RunRecord, tmp_path: Path) -> None:
    hand_in(tmp_path / "subs", "ada", -1)
    record = play_again(tmp_path)
    record.standings["staff"] = record.kept
    notes = {row["name"]: row["note"] for row in rows(record, GameTimes())}
    assert (notes["bob"], notes["ada"]) == ("its games against staff bots are those of run 1", "")
