"""Every answer of the API has the shape that the reference page promises."""

from __future__ import annotations

import msgspec

from scripts.docs.api_page import all_routes
from tabiya.explorer.explorer import Explorer
from tabiya.protocol.messages import Challenge, Resign
from tabiya.server.archive.reviews import encoded
from tabiya.server.web.http.route import Route
from tabiya.server.web.schemas.explorer_requests import SearchRequest
from tabiya.server.web.schemas.requests import ExpectedQuery, HeadToHeadQuery
from tabiya.storage.records import MatchId
from tests.fakes.kept_programs import KeptPrograms
from tests.present import present
from tests.server.archive.test_reviews import judged_move
from tests.server.local_bots import first_legal
from tests.server.web.handlers.test_programs import packed
from tests.server.web.web_server import Answer, WebServer

CODE = "a secret of sixteen"


async def asked(web: WebServer, route: Route, match: int, tournament: int, token: str) -> Answer:
    path = route.path.replace("{match}", str(match)).replace("{tournament}", str(tournament))
    path = path.replace("{game}", "nim").replace("{name:.+}", "ada").replace("{ply}", "3").replace("{code}", CODE)
    path = path.replace("{number}", "1").replace("{season}", "1").replace("{program}", "1")
    path += "?first=ada&second=bob" if route.query is HeadToHeadQuery else ""
    path += "?tree=001" if isinstance(route.query, type) and issubclass(route.query, SearchRequest) else ""
    path += "?bot=ada" if route.query is ExpectedQuery else ""
    tokens = {"owner": token, "worker": web.server.accounts.worker_token}
    return await web.get(path, token=tokens.get(route.access, ""))


async def test_every_answer_has_exactly_the_shape_that_is_promised(web: WebServer) -> None:
    match = await web.begin("a1 a2 b1")
    await web.at_ply(match, 3)
    web.bots["bob"].say(Resign(match=match, failure="an IndexError"))
    await web.ends(match)
    await web.store.keep_review(MatchId(match), "an engine", encoded([judged_move(0, 0, 0.25)]))
    for name in ("ada", "bob"):
        await web.bot(name, first_legal, max_matches=4)
    web.bots["ada"].say(Challenge(game="nim", code=CODE))
    made = (
        await web.post(
            "/api/v1/tournaments",
            {"name": "cup", "game": "nim", "bots": ["ada", "bob"], "format": "swiss", "rounds": 1},
        )
    ).json
    await web.tournament_ends()
    gauntlet = {"name": "graded", "game": "nim", "bots": ["ada", "bob"], "format": "gauntlet", "start": False}
    graded = (await web.post("/api/v1/tournaments", gauntlet | {"grading": [{"bot": "ada", "points": 1}]})).json["id"]
    drawn_in_sgf = await web.play("h8 a1 h9 a2 h10 a3 h11 a4 h12", game="connect5")
    web.server.explorer = Explorer()
    assert (await web.post("/api/v1/seasons", {"game": "tictactoe"})).status == 201
    ada = present(await web.store.bot_by_name("ada"))
    web.server.hosting = hosting = KeptPrograms(web.store)
    await hosting.hand_in(ada, "nim", "mine.zip", packed(bot=b"class Mine(Bot): ..."))
    token = await web.server.accounts.rotate((await web.server.accounts.register("eve", ""))[0])
    assert (await web.post("/api/v1/bots/eve/role", {"role": "operator"})).status == 200
    # `/live` never ends: tests/server/web/live/test_server_news.py
    routes = [route for route in all_routes() if route.method == "GET" and route.path != "/live"]
    assert len(routes) > 15
    for route in routes:
        shown = drawn_in_sgf if route.path.endswith(".sgf") else match
        tournament = graded if route.path.endswith("/grades") else made["id"]
        answer = await asked(web, route, shown, tournament, token)
        assert answer.status == route.status, route.path
        if isinstance(route.answer, type):
            shape = msgspec.json.decode(answer.body, type=route.answer)
            assert msgspec.json.decode(msgspec.json.encode(shape)) == answer.json, route.path
