"""The grades of tournaments, for operators. Access has been checked (routes.py)."""

from __future__ import annotations

from aiohttp import web
from msgspec import to_builtins

from tabiya.protocol.csv_text import csv_text
from tabiya.server.grading.gradebook_names import Gradebook
from tabiya.server.grading.gradebooks import AssignmentError, check_assignment, gradebook_rows, headings
from tabiya.server.web.handlers.queries import QueryHandlers, as_file
from tabiya.server.web.http.json_responses import ApiCall, HttpError
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.grade_responses import GradesQuery, TournamentGrades
from tabiya.server.web.views.grade_rows import grade_rows
from tabiya.server.web.views.grades import GradeViews, graded


class GradeHandlers:
    """The handler for grades."""

    def __init__(self, facade: ServerFacade, queries: QueryHandlers) -> None:
        self._facade, self._queries = facade, queries
        self._views = GradeViews(facade.store, queries.tournament_views)

    async def grades(self, call: ApiCall) -> TournamentGrades | web.Response:
        """The present grades of a graded tournament, also as a file for a spreadsheet or a gradebook."""
        query: GradesQuery = call.query
        record = await self._queries.tournament_record(call)
        found = await self._views.grades(record, self._facade.house_names)
        if found is None:
            raise HttpError(404, f"tournament {record.id} is not graded")
        if query.format == "json":
            return found
        if query.format == "csv":
            return as_file(csv_text(*grade_rows(to_builtins(found))), "text/csv", f"tournament-{record.id}-grades.csv")
        return as_file(_for_gradebook(found, query), "text/csv", f"tournament-{record.id}-{query.format}.csv")


def _for_gradebook(found: TournamentGrades, query: GradesQuery) -> str:
    """The grades as CSV in the columns of the system that is asked for. Raises HttpError (400)."""
    of, assignment = Gradebook(query.format), query.assignment.strip() or found.name
    try:
        check_assignment(assignment)
    except AssignmentError as error:
        raise HttpError(400, str(error), "assignment") from None
    rows = gradebook_rows(of, graded(found), assignment, found.most_points)
    return csv_text(rows, headings(of, assignment))
