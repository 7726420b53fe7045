"""What every layout needs of an assignment, and a class that has no rows."""

from __future__ import annotations

import pytest

from tabiya.server.grading.gradebook_names import Gradebook
from tabiya.server.grading.gradebooks import AssignmentError, StudentGrade, check_assignment, gradebook_rows, headings


@pytest.mark.parametrize("name", ["ID", "Feedback", " student "])
def test_an_assignment_is_not_called_like_another_column(name: str) -> None:
    with pytest.raises(AssignmentError, match="another column"):
        check_assignment(name)


@pytest.mark.parametrize("gradebook", Gradebook)
def test_the_headings_are_those_of_every_row_also_where_there_is_none(gradebook: Gradebook) -> None:
    rows = gradebook_rows(gradebook, [StudentGrade("ada", 2.5, "greedy 1/2")], "Tournament", 5.0)
    assert {tuple(row) for row in rows} == {tuple(headings(gradebook, "Tournament"))}


def test_a_bot_without_a_grade_is_not_exported_as_graded() -> None:
    rows = gradebook_rows(
        Gradebook.GRADESCOPE, [StudentGrade("ada", None, ""), StudentGrade("bob", 0.0, "")], "Tournament", 5.0
    )
    assert [(row["Total Score"], row["Status"]) for row in rows] == [(None, ""), (0.0, "Graded")]
