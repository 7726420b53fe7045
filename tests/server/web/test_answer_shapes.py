"""Every answer of the API has the shape that the reference page promises."""

from __future__ import annotations

import msgspec
import pytest

from scripts.docs.api_page import all_routes
from tabiya.protocol.messages import Notice
from tabiya.server.web.routes import Route
from tabiya.server.web.schemas.requests import HeadToHeadQuery
from tests.server.local_bots import first_legal
from tests.server.web.house import LINE, House

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
