"""The search explorer's page. Its scripts get the search from the API."""

from __future__ import annotations

from typing import Any

from tabiya.server.web.http.json_responses import ApiCall

Context = dict[str, Any]


async def explore_page(call: ApiCall) -> tuple[str, Context]:
    """With a form for what is searched."""
    return "explore.html", {"is_large": call.request.query.get("size") == "large"}
