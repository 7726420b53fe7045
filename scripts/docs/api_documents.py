"""docs/reference/openapi.json and asyncapi.json: API and protocol for programs, as a server answers with them."""

from __future__ import annotations

from scripts.docs.api_page import all_routes
from tabiya.server.web import asyncapi, openapi


def documents() -> dict[str, str]:
    """Both, by their paths from the repository's root."""
    return {
        "docs/reference/openapi.json": openapi.text(all_routes()),
        "docs/reference/asyncapi.json": asyncapi.text(),
    }
