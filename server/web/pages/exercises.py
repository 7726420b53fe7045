"""The page of a sheet of exercises on the textbooks' algorithms."""

from __future__ import annotations

import json
from typing import Any

from msgspec import structs

from tabiya.server.web.handlers.explorer import exercises_of, explorer_of
from tabiya.server.web.http.json_responses import ApiCall, read_query
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.pages.exercise_sheet import PAGE, sheet_address, shown_sheet
from tabiya.server.web.schemas.explorer_requests import ExercisesRequest
from tabiya.server.web.schemas.requests import LARGEST_ID

Context = dict[str, Any]


class ExercisePage:
    """The page of a sheet."""

    def __init__(self, facade: ServerView) -> None:
        self._facade = facade

    async def page(self, call: ApiCall) -> tuple[str, Context]:
        """The sheet that the address asks for. Raises HttpError."""
        explorer_of(self._facade)
        kinds = ",".join(filter(None, call.request.query.getall("kinds", [])))  # a form sends each on its own
        query = read_query(
            {name: value for name, value in (call.given | {"kinds": kinds}).items() if value}, ExercisesRequest
        )
        sheet = json.loads(await exercises_of(self._facade, query))
        following = structs.replace(query, seed=query.seed % LARGEST_ID + 1)
        return "exercises.html", shown_sheet(sheet, query) | {
            "query": query,
            "chosen": [name.strip() for name in query.kinds.split(",")],
            "next": f"{PAGE}?{sheet_address(following)}",
        }
