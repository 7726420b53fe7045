"""The pages of operators, the same for everybody: what is for operators alone their scripts ask of the API."""

from __future__ import annotations

from typing import Any

from tabiya.server.pairing import FORMATS
from tabiya.server.web.http.json_responses import ApiCall, not_found

PARTS = {
    "overview": "Overview",
    "tournaments": "Tournaments",
    "matches": "Matches",
    "bots": "Bots",
    "settings": "Settings",
    "orders": "Orders",
}
"""What there is, in the order of the tabs: the name in the address, and for people."""
Context = dict[str, Any]


async def operator_page(call: ApiCall) -> tuple[str, Context]:
    """One part, the overview where none is named."""
    part = call.request.match_info.get("part", "overview")
    if part not in PARTS:
        not_found("page of operators", part)
    formats = [(form.name, form.title) for form in FORMATS.values()]
    return "operator.html", {"part": part, "parts": PARTS, "formats": formats}
