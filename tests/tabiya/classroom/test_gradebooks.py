"""Grades as other systems read them: their headings in their order, a row for every submission."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tabiya.classroom.gradebooks import gradebook_rows
from tabiya.classroom.grades import GameTimes, rows
from tabiya.classroom.record import Entry, Rules, RunRecord
from tabiya.classroom.staff import StaffBot
from tabiya.cli.hosting.classroom import write_csv
from tabiya.server.grading.gradebook_names import Gradebook


def record() -> RunRecord:
    """Two that played, one that could not, a staff bot and a player of ours."""
    staff = (StaffBot(player="greedy", points=8.0),)
    rules = Rules(
        game="nim",
        time_control="2/move",
        format="none",
        rounds=1,
        final=0,
        final_rounds=1,
        seed=0,
        sandbox="none",
        staff=staff,
    )
    entries = [
        Entry(name="staff greedy", source="greedy", folder="submissions/004", is_staff=True),
        Entry(name="ada-uni.edu", source="ada@uni.edu.py", folder="submissions/001", digest="1"),
        Entry(name="bob", source="=bob", folder="submissions/002", digest="2"),
        Entry(name="greedy", source="greedy", folder="submissions/003"),
        Entry(name="cal.py", source="cal.py", folder="", problem="cal.py is no Python"),
    ]
    scores = {"ada-uni.edu": {"staff greedy": (2.5, 4)}, "bob": {"staff greedy": (1.0, 4)}}
    return RunRecord(rules=rules, entries=entries, standings={"staff": []}, staff_scores=scores)


def read(of: Gradebook, folder: Path) -> list[list[str]]:
    """What stands in the file, headings first."""
    run = record()
    table = gradebook_rows(of, run, rows(run, GameTimes()), "Tournament")
    write_csv(folder / "grades.csv", table, {heading: heading for heading in table[0]})
    with (folder / "grades.csv").open() as file:
        return list(csv.reader(file))


def test_moodle_is_told_who_how_much_and_why(tmp_path: Path) -> None:
    assert read(Gradebook.MOODLE, tmp_path) == [
        ["Username", "Tournament", "Feedback"],
        ["ada@uni.edu", "5.0", "greedy 2.5/4"],
        ["'=bob", "2.0", "greedy 1/4"],
        ["cal", "0.0", "The program could not play."],
    ]


def test_canvas_finds_its_headings_the_possible_points_and_the_logins(tmp_path: Path) -> None:
    assert read(Gradebook.CANVAS, tmp_path) == [
        ["Student", "ID", "SIS Login ID", "Section", "Tournament"],
        ["Points Possible", "", "", "", "8.0"],
        ["ada@uni.edu", "", "ada@uni.edu", "", "5.0"],
        ["'=bob", "", "'=bob", "", "2.0"],
        ["cal", "", "cal", "", "0.0"],
    ]


def test_gradescope_has_addresses_apart_from_other_names(tmp_path: Path) -> None:
    assert read(Gradebook.GRADESCOPE, tmp_path) == [
        ["First Name", "Last Name", "SID", "Email", "Total Score", "Max Points", "Status"],
        ["", "", "", "ada@uni.edu", "5.0", "8.0", "Graded"],
        ["", "", "'=bob", "", "2.0", "8.0", "Graded"],
        ["", "", "cal", "", "0.0", "8.0", "Graded"],
    ]


def test_of_two_files_of_one_student_the_one_that_played_counts() -> None:
    run = record()
    run.entries.append(Entry(name="=bob.py", source="=bob.py", folder="", problem="its name is that of =bob"))
    table = gradebook_rows(Gradebook.MOODLE, run, rows(run, GameTimes()), "Tournament")
    assert [row["Tournament"] for row in table if row["Username"] == "=bob"] == [2.0]


@pytest.mark.parametrize("gradebook", Gradebook)
def test_the_note_of_the_teacher_is_in_no_file_for_students(gradebook: Gradebook) -> None:
    run = record()
    found: list[dict[str, Any]] = [row | {"note": "SECRET"} for row in rows(run, GameTimes())]
    assert "SECRET" not in str(gradebook_rows(gradebook, run, found, "Tournament"))
