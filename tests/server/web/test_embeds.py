"""What other sites may show in a frame: a match, standings and a tournament, with nothing that acts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp.web import Application, AppRunner, Request, Response, TCPSite

from tabiya.protocol.messages import Move
from tabiya.server.web.pages.embeds import theme_sheets
from tests.server.local_bots import first_legal
from tests.server.web.browser import Browser
from tests.server.web.page_reader import Page
from tests.server.web.web_server import GAME, LINE, WebServer

SHEET = Path("server/web/pages/static/tabiya.css")
MAY_FRAME = "frame-ancestors *"
ROWS = "document.querySelector('[data-part=rows]').textContent"
AT = "document.getElementById('at').textContent"
SHARED = ("Cross-Origin-Resource-Policy", "Cross-Origin-Embedder-Policy")


@asynccontextmanager
async def other_site(body: str, **headers: str) -> AsyncIterator[str]:
    """The address of a page of somebody else."""

    async def page(request: Request) -> Response:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(text=f"<!doctype html>{body}", content_type="text/html", headers=given)

    app = Application()
    app.router.add_get("/", page)
    runner = AppRunner(app)
    await runner.setup()
    await TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


async def tournament(web: WebServer) -> int:
    for name in ("ada", "bob"):
        await web.bot(name, first_legal, max_matches=2)
    order = {"name": "<b>cup</b>", "game": "nim", "bots": ["ada", "bob"], "seed": 4}
    made = await web.post("/api/v1/tournaments", order)
    await web.tournament_ends()
    return int(made.json["id"])


async def test_other_sites_may_show_the_embedded_pages_and_no_other(web: WebServer) -> None:
    match, cup = await web.play(LINE), await tournament(web)
    embedded = [f"/embed/matches/{match}", f"/embed/standings/{GAME}?rows=1", f"/embed/tournaments/{cup}?theme=dark"]
    for path in embedded:
        answer = await web.get(path)
        assert answer.status == 200
        assert MAY_FRAME in answer.headers["Content-Security-Policy"]
        assert [answer.headers[name] for name in SHARED] == ["cross-origin", "require-corp"]
        again = await web.get(path, If_None_Match=answer.headers["ETag"])
        assert again.status == 304
        for name in ("Content-Security-Policy", *SHARED):  # or the page kept by the browser could not be shown again
            assert again.headers[name] == answer.headers[name]
    for path in ("/", "/play", f"/matches/{match}", f"/standings/{GAME}", "/embed/matches/77", "/tournaments"):
        answer = await web.get(path)
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


async def test_they_say_the_same_as_the_whole_pages_and_link_there(web: WebServer) -> None:
    match, cup = await web.play(LINE), await tournament(web)
    for path, whole, words in (
        (f"/embed/matches/{match}", f"/matches/{match}", ("ada", "bob", "5 / 5", "1-0", "line")),
        (f"/embed/standings/{GAME}?rows=1&theme=light", f"/standings/{GAME}", ("ada", "1.0", "±", "All 2 rows")),
        (f"/embed/tournaments/{cup}", f"/tournaments/{cup}", ("<b>cup</b>", "2 games of 2", "ended", "ada")),
    ):
        read = Page((await web.get(path)).text)
        read.addresses(path)
        assert read.faults == []
        assert whole in read.links
        for word in words:
            assert word in read.words, (path, word)
    for wrong in ("theme=pink", "ply=-1", "x=1"):
        assert (await web.get(f"/embed/matches/{match}?{wrong}")).status == 400


async def test_without_a_script_a_match_is_stepped_through_by_links_that_keep_the_theme(web: WebServer) -> None:
    match = await web.play(LINE)
    read = Page((await web.get(f"/embed/matches/{match}?ply=2&theme=dark")).text)
    assert {f"?ply={ply}&theme=dark" for ply in (0, 1, 3, 5)} <= set(read.links)
    assert "1 crosses and 1 rings" in read.words
    assert any(link.startswith("/static/dark.css") for link in read.links)


def test_a_theme_sets_every_colour_that_the_pages_have_in_it() -> None:
    sheets = {name: text.decode() for name, text in theme_sheets(SHEET.read_text()).items()}
    for name, paper in (("light.css", "#f6f4ee"), ("dark.css", "#14181c")):
        assert f"--paper: {paper};" in sheets[name]
    for line in sheets["dark.css"].split(";"):
        colour = line.partition(":")[0].strip()
        assert not colour.startswith("--") or f"{colour}:" in sheets["light.css"]


@pytest.mark.slow
async def test_in_a_frame_of_another_site_a_match_and_tables_go_on_and_a_match_is_stepped_through_by_keys(
    web: WebServer, tab: Browser
) -> None:
    match = await web.begin("a1 b2")
    await web.at_ply(match, 2)
    frame = f"<iframe src='{web.url}/embed/matches/{match}?theme=dark' width=240 height=320></iframe>"
    async with other_site(frame, Cross_Origin_Embedder_Policy="require-corp") as address:
        await tab.open(address)
        inner = await framed_page(tab)
        await tab.until(f"{AT} === '2 / 2' && document.querySelector('.runs')", **inner)
        web.bots["ada"].say(Move(match=match, ply=2, move="a2"))
        await tab.until(f"{AT} === '3 / 3'", **inner)
        assert "2 crosses" in await tab.read("document.querySelector('#board title').textContent", **inner)
        press = "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))"
        await tab.read(press, **inner)
        await tab.until(f"{AT} === '2 / 3'", **inner)
        web.bots["bob"].say(Move(match=match, ply=3, move="b1"))
        await tab.until(f"{AT} === '2 / 4'", **inner)  # who looks back is left there
        assert await tab.read("getComputedStyle(document.body).backgroundColor", **inner) == "rgb(20, 24, 28)"
        assert await tab.read("document.documentElement.scrollWidth", **inner) <= 240
        web.bots["ada"].say(Move(match=match, ply=4, move="a3"))
        await web.ends(match)
    order = {"name": "cup", "game": GAME, "bots": ["ada", "bob"], "start": False}
    cup = (await web.post("/api/v1/tournaments", order)).json["id"]
    for path, begin in (
        (f"standings/{GAME}", web.play(LINE, bots=("ada", "eve"))),
        (f"tournaments/{cup}", web.post(f"/api/v1/tournaments/{cup}/start", {})),
    ):
        async with other_site(f"<iframe src='{web.url}/embed/{path}' width=240 height=320></iframe>") as address:
            await tab.open(address)
            inner = await framed_page(tab)
            before = await tab.read(ROWS, **inner)
            for name in ("ada", "bob"):
                await web.bot(name, first_legal)
            await begin
            await tab.until(f"{ROWS} !== {json.dumps(before)}", **inner)
            assert await tab.read("document.documentElement.scrollWidth", **inner) <= 240
    assert [each for each in tab.complaints if "favicon" not in each and "404" not in each] == []


async def framed_page(tab: Browser) -> dict[str, int]:
    """Where the only frame is, which another site is in."""
    tree = await tab.tell("Page.getFrameTree")
    (child,) = tree["frameTree"]["childFrames"]
    made = await tab.tell("Page.createIsolatedWorld", frameId=child["frame"]["id"])
    return {"contextId": made["executionContextId"]}
