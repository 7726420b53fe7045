"""The pages of operators. They are the same for all: their scripts get private data from the API."""

from __future__ import annotations

from typing import Any

from tabiya.server.pairing import FORMATS
from tabiya.server.web.http.json_responses import ApiCall, not_found
from tabiya.server.web.http.server_view import ServerView

PARTS = {
    "overview": "Overview",
    "tournaments": "Tournaments",
    "grades": "Grades",
    "matches": "Matches",
    "bots": "Bots",
    "settings": "Settings",
    "orders": "Orders",
}
"""What there is, in the order of the tabs: the name in the address, and for people."""
Context = dict[str, Any]


class OperatorPages:
    """The pages of one server."""

    def __init__(self, facade: ServerView) -> None:
        self._facade = facade

    async def page(self, call: ApiCall) -> tuple[str, Context]:
        """One part, the overview where none is named."""
        part = call.request.match_info.get("part", "overview")
        if part not in PARTS:
            not_found("page of operators", part)
        formats = [(form.name, form.title) for form in FORMATS.values()]
        hosted = self._facade.hosting is not None
        return "operator.html", {"part": part, "parts": PARTS, "formats": formats, "hosted": hosted}
