"""docs/reference/openapi.json: the API for programs, as a server answers with it at /api/v1/openapi.json."""

from __future__ import annotations

from scripts.docs.api_page import all_routes
from tabiya.server.web.openapi import text


def documents() -> dict[str, str]:
    """The document, by its path from the repository's root."""
    return {"docs/reference/openapi.json": text(all_routes())}
