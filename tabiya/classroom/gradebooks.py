"""The grades of a run for the gradebooks of other systems."""

from __future__ import annotations

from collections.abc import Sequence

from tabiya.classroom.record import Entry, RunRecord
from tabiya.server.grading import gradebooks
from tabiya.server.grading.formula import most_points
from tabiya.server.grading.gradebook_names import Gradebook
from tabiya.server.grading.gradebooks import Row, StudentGrade


def gradebook_rows(of: Gradebook, record: RunRecord, found: Sequence[Row], assignment: str) -> list[Row]:
    """The table for one system, a row for every submission; a row's keys are the headings, in their order.

    found: as grades.rows gives them.  assignment: what it is called in that system.  Staff bots and other players of
    ours are left out.
    """
    entries = {entry.source: entry for entry in record.entries if not (entry.is_staff or entry.is_ours)}
    rows = [(entries[row["source"]], row) for row in found if row["source"] in entries]
    handed_in: dict[str, StudentGrade] = {}
    for entry, row in sorted(rows, key=lambda pair: bool(pair[0].problem)):
        who = student(entry)  # of two files of one student that which plays
        handed_in.setdefault(who, StudentGrade(who, row["grade"], row["staff"] or "The program could not play."))
    return gradebooks.gradebook_rows(of, tuple(handed_in.values()), assignment, most_points(record.rules.staff))


def student(entry: Entry) -> str:
    """Who has handed it in: the name of the file without `.py`, or of the folder, as it was."""
    return entry.source.removesuffix(".py")
