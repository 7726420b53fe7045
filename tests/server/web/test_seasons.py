"""Seasons in the API and on their page."""

from __future__ import annotations

from tests.server.web.pages.shown import page
from tests.server.web.web_server import GAME, LINE, WebServer


async def test_a_season_is_begun_shown_and_ended(web: WebServer) -> None:
    assert "tabiya season begin tictactoe" in (await page(web, f"/seasons/{GAME}")).words
    await web.play(LINE)
    begun = await web.post("/api/v1/seasons", {"game": GAME, "name": "Autumn <i>", "size": 2})
    assert (begun.status, begun.json["name"], begun.json["ended_at"]) == (201, "Autumn <i>", None)
    assert [[place["bot"] for place in division] for division in begun.json["divisions"]] == [["ada", "bob"]]
    await web.play(LINE, bots=("bob", "ada"))
    answer = await web.json("/api/v1/seasons/1")
    first, second = answer["divisions"][0]
    assert (first["bot"], first["games"], first["wins"], second["losses"]) == ("bob", 1, 1, 1)
    shown = await page(web, f"/seasons/{GAME}?season=1")  # the page without it is kept for a moment
    assert all(words in shown.words for words in ("Autumn <i>", "Division 1", "still running"))
    ended = await web.post("/api/v1/seasons/1/end", {})
    assert ended.json["ended_at"] is not None
    (await web.post("/api/v1/seasons/1/end", {})).assert_refused(409, "has ended already")
    assert (await web.json("/api/v1/seasons"))["seasons"][0]["ended_at"] is not None
    assert (await web.post("/api/v1/seasons", {"game": GAME})).status == 201
    newest = await page(web, f"/seasons/{GAME}?season=2")
    assert {"?season=1", "?season=2"} <= set(newest.links)
    assert "still running" in newest.words


async def test_what_is_not_there_says_so(web: WebServer) -> None:
    (await web.post("/api/v1/seasons", {"game": "halma"})).assert_refused(400, "there is no game 'halma'")
    (await web.post("/api/v1/seasons", {"game": "nim"})).assert_refused(409, "needs two bots")
    (await web.get("/api/v1/seasons/7")).assert_refused(404, "no season 7")
    assert (await web.get("/seasons/halma")).status == 404
    assert (await web.get("/seasons/nim?season=3")).status == 404
