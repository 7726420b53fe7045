"""The reference page agrees with the routes, and the answers with what it promises."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from tabiya.protocol.messages import Notice
from tabiya.server.web.reference import PATH, all_routes, documents
from tabiya.server.web.routes import Route
from tabiya.server.web.schemas.requests import HeadToHeadQuery
from tests.server.local_bots import first_legal
from tests.server.web.house import LINE, House

ROOT = Path(__file__).parent.parent.parent.parent


def test_the_committed_page_is_fresh() -> None:
    assert (ROOT / PATH).read_text("utf-8") == documents()[PATH]


def test_every_route_and_shape_is_described_and_every_link_of_the_page_leads_to_a_heading() -> None:
    text = documents()[PATH]
    headings = {heading.lower() for heading in re.findall(r"^### (\w+)$", text, re.MULTILINE)}
    assert set(re.findall(r"\]\(#(\w+)\)", text)) <= headings
    for route in all_routes():
        assert f"`{route.method} {route.path.replace(':.+', '')}`" in text
    cells = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert [line[0] for line in cells if len(line) == 4 and line[3].strip(" |") == ""] == []


GETS = [route for route in all_routes() if route.method == "GET"]


@pytest.mark.parametrize("route", GETS, ids=lambda route: route.path)
async def test_every_answer_has_exactly_the_shape_that_is_promised(there: House, route: Route) -> None:
    match = await there.play(LINE)
    await there.bot("ada", first_legal, max_matches=4)
    await there.bot("bob", first_legal, max_matches=4)
    plan = {"name": "cup", "game": "nim", "bots": ["ada", "bob"]}
    made = (await there.post("/api/tournaments", plan)).json
    ada = there.bots["ada"]
    await ada.until(lambda: any(notice.kind == "tournament_ended" for notice in ada.heard(Notice)))
    path = route.path.replace("{match}", str(match)).replace("{tournament}", str(made["id"]))
    path = path.replace("{game}", "nim").replace("{name:.+}", "ada").replace("{ply}", "3")
    path += "?first=ada&second=bob" if route.query is HeadToHeadQuery else ""
    token = await there.server.accounts.rotate((await there.server.accounts.register("eve", ""))[0])
    answer = await there.get(path, **({"Authorization": f"Bearer {token}"} if route.access == "owner" else {}))
    assert answer.status == route.status
    if isinstance(route.answer, type):
        shape = msgspec.json.decode(answer.body, type=route.answer)
        assert msgspec.json.decode(msgspec.json.encode(shape)) == answer.json
