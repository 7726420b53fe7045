"""The page of the API has every route and every shape."""

from __future__ import annotations

import re

from scripts.docs.api_page import PATH, all_routes, documents


def test_every_route_and_shape_is_described_and_every_link_of_the_page_leads_to_a_heading() -> None:
    text = documents()[PATH]
    headings = {heading.lower() for heading in re.findall(r"^### (\w+)$", text, re.MULTILINE)}
    assert set(re.findall(r"\]\(#(\w+)\)", text)) <= headings
    for route in all_routes():
        assert f"`{route.method} {route.path.replace(':.+', '')}`" in text
    fields = [line for line in text.splitlines() if line.startswith("* `")]
    assert [line for line in fields if not re.search(r"\): \S", line)] == []
