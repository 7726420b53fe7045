"""The page on which owners upload programs. It is the same for all: its scripts get private data from the API."""

from __future__ import annotations

from typing import Any

from tabiya.server.web.http.json_responses import ApiCall
from tabiya.server.web.http.server_view import ServerView

Context = dict[str, Any]


class MyBotPage:
    """The page of one server."""

    def __init__(self, facade: ServerView) -> None:
        self._facade = facade

    async def page(self, call: ApiCall) -> tuple[str, Context]:
        """With a program to begin with, if this server runs programs."""
        hosting = self._facade.hosting
        return "my_bot.html", {
            "start": hosting.start if hosting else None,
            "open_registration": self._facade.facts.open_registration,
        }
