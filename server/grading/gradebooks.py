"""The grades in the column layouts of other systems. Sources: docs/sources.md#gradebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tabiya.server.grading.gradebook_names import Gradebook

Row = dict[str, Any]
# headings of other columns, which an assignment cannot have for its name
OTHER_COLUMNS = frozenset({"student", "id", "sis login id", "section", "username", "feedback"})


class AssignmentError(ValueError):
    """An assignment cannot be called so; one sentence."""


class StudentGrade(NamedTuple):
    """One student's grade. student: login or address.  grade: None for none.  feedback: why, for the student."""

    student: str
    grade: float | None
    feedback: str


def check_assignment(name: str) -> None:
    """Raise AssignmentError for a name that cannot head a column."""
    if name.strip().casefold() in OTHER_COLUMNS:
        raise AssignmentError(f"an assignment cannot be called {name!r}: another column of the file has this name")


def gradebook_rows(of: Gradebook, graded: Sequence[StudentGrade], assignment: str, most: float) -> list[Row]:
    """The table for one system, a row for every student; a row's keys are the headings, in their order.

    assignment: what it is called in that system.  most: the best grade that there is.
    """
    return list(LAYOUTS[of](graded, assignment, most))


def headings(of: Gradebook, assignment: str) -> dict[str, str]:
    """The columns of the table, also of one without rows."""
    [*_, row] = LAYOUTS[of]((StudentGrade("", None, ""),), assignment, 0.0)
    return {heading: heading for heading in row}


def _moodle(graded: Sequence[StudentGrade], assignment: str, _: float) -> Iterator[Row]:
    """Moodle asks in a form what each column means; feedback goes with the grade, or it would be lost there."""
    for who, grade, feedback in graded:
        yield {"Username": who, assignment: grade, "Feedback": feedback}


def _canvas(graded: Sequence[StudentGrade], assignment: str, most: float) -> Iterator[Row]:
    """Canvas looks for these headings in this order, and for the points in the row after them."""
    yield {"Student": "Points Possible", "ID": "", "SIS Login ID": "", "Section": "", assignment: most}
    for who, grade, _ in graded:
        yield {"Student": who, "ID": "", "SIS Login ID": who, "Section": "", assignment: grade}


def _gradescope(graded: Sequence[StudentGrade], _: str, most: float) -> Iterator[Row]:
    """The columns that Gradescope writes itself; a student is its SID, or the address if the name is one."""
    for who, grade, _feedback in graded:
        yield {
            "First Name": "",
            "Last Name": "",
            "SID": "" if "@" in who else who,
            "Email": who if "@" in who else "",
            "Total Score": grade,
            "Max Points": most,
            "Status": "" if grade is None else "Graded",
        }


LAYOUTS: dict[Gradebook, Callable[[Sequence[StudentGrade], str, float], Iterator[Row]]] = {
    Gradebook.MOODLE: _moodle,
    Gradebook.CANVAS: _canvas,
    Gradebook.GRADESCOPE: _gradescope,
}
