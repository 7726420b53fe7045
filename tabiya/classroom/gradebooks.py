"""The grades in the column layouts of other systems. Sources: docs/sources.md#gradebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tabiya.classroom.gradebook_names import Gradebook
from tabiya.classroom.record import Entry, RunRecord
from tabiya.classroom.staff import most_points

Row = dict[str, Any]
# headings of other columns, which an assignment cannot have for its name
TAKEN = frozenset({"student", "id", "sis login id", "section", "username", "feedback"})


class AssignmentError(ValueError):
    """An assignment cannot be called so; one sentence."""


def check_assignment(name: str) -> None:
    """Raise AssignmentError for a name that cannot head a column."""
    if name.strip().casefold() in TAKEN:
        raise AssignmentError(f"an assignment cannot be called {name!r}: another column of the file is")


def gradebook_rows(of: Gradebook, record: RunRecord, found: Sequence[Row], assignment: str) -> list[Row]:
    """The table for one system, a row for every submission; a row's keys are the headings, in their order.

    found: as grades.rows gives them.  assignment: what it is called in that system.  Staff bots and other players of
    ours are left out.
    """
    entries = {entry.source: entry for entry in record.entries if not (entry.is_staff or entry.is_ours)}
    rows = [(entries[row["source"]], row) for row in found if row["source"] in entries]
    handed_in: dict[str, Row] = {}
    for entry, row in sorted(rows, key=lambda pair: bool(pair[0].problem)):
        handed_in.setdefault(student(entry), row)  # of two files of one student that which plays
    return list(LAYOUTS[of](tuple(handed_in.items()), assignment, most_points(record.rules.staff)))


def student(entry: Entry) -> str:
    """Who has handed it in: the name of the file without `.py`, or of the folder, as it was."""
    return entry.source.removesuffix(".py")


def _moodle(handed_in: Sequence[tuple[str, Row]], assignment: str, _: float) -> Iterator[Row]:
    """Moodle asks in a form what each column means; feedback goes with the grade, or it would be lost there."""
    for who, row in handed_in:
        yield {"Username": who, assignment: row["grade"], "Feedback": _for_the_student(row)}


def _for_the_student(row: Row) -> str:
    """Why this grade. The note of the teacher's table is for the teacher alone."""
    return row["staff"] or "The program could not play."


def _canvas(handed_in: Sequence[tuple[str, Row]], assignment: str, most: float) -> Iterator[Row]:
    """Canvas looks for these headings in this order, and for the points in the row after them."""
    yield {"Student": "Points Possible", "ID": "", "SIS Login ID": "", "Section": "", assignment: most}
    for who, row in handed_in:
        yield {"Student": who, "ID": "", "SIS Login ID": who, "Section": "", assignment: row["grade"]}


def _gradescope(handed_in: Sequence[tuple[str, Row]], _: str, most: float) -> Iterator[Row]:
    """The columns that Gradescope writes itself; a student is its SID, or the address if the name is one."""
    for who, row in handed_in:
        yield {
            "First Name": "",
            "Last Name": "",
            "SID": "" if "@" in who else who,
            "Email": who if "@" in who else "",
            "Total Score": row["grade"],
            "Max Points": most,
            "Status": "Graded",
        }


LAYOUTS: dict[Gradebook, Callable[[Sequence[tuple[str, Row]], str, float], Iterator[Row]]] = {
    Gradebook.MOODLE: _moodle,
    Gradebook.CANVAS: _canvas,
    Gradebook.GRADESCOPE: _gradescope,
}
