"""The pictures for links: made once, a few at a time, with names in any script, on a machine without fonts too."""

from __future__ import annotations

import asyncio
import struct
import threading
from html.parser import HTMLParser

import pytest

from tabiya.protocol.messages import Move
from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.pages import card_pictures
from tabiya.server.web.pages.card_pictures import PICTURES_KEPT, WAITING, PngMaker
from tabiya.server.web.pages.cards import CardRow, png, table_card
from tests.server.local_bots import first_legal
from tests.server.web.web_server import GAME, LINE, WebServer

HOSTILE = "\"'><script>alert(1)</script>{{7*7}}&amp;]]>\ud800\x00\u202e"
NAMES = ("W" * 40, "日本語の名前です", "שלום", "हिन्दी", "Zoë ½", HOSTILE)


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def table(name: str) -> bytes:
    return png(table_card(name, name, [CardRow(1, name, "1500")], "Tabiya"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_in_any_script_is_drawn_or_left_out_and_never_fails(name: str) -> None:
    assert size_of(table(name)) == (1200, 630)


@pytest.mark.slow
def test_text_is_drawn_with_the_font_that_comes_with_us() -> None:
    svg = table_card("ada", "", [], "")
    drawn = png(svg)
    assert drawn != png(svg.replace(">ada<", ">bob<")) != png(svg.replace(">ada<", "><"))
    assert png(svg.replace("Segoe UI", "No Such Font")) == drawn


@pytest.mark.slow
async def test_a_match_a_table_and_a_tournament_have_a_picture_that_other_sites_may_show(web: WebServer) -> None:
    match = await web.begin("a1 b2")
    await web.at_ply(match, 2)
    await web.play(LINE, bots=("eve", "tim"))
    for name in ("eve", "tim"):
        await web.bot(name, first_legal, max_matches=2)
    order = {"name": "cup", "game": "nim", "bots": ["eve", "tim"], "start": False}
    cup = (await web.post("/api/v1/tournaments", order)).json["id"]
    for path in (f"/matches/{match}", f"/standings/{GAME}", f"/tournaments/{cup}"):
        answer = await web.get(f"{path}/picture.png")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "image/png")
        assert size_of(answer.body) == (1200, 630)
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert (await web.get(f"{path}/picture.png", If_None_Match=answer.headers["ETag"])).status == 304
    before = (await web.get(f"/matches/{match}/picture.png")).headers["ETag"]
    web.bots["ada"].say(Move(match=match, ply=2, move="a2"))
    await web.at_ply(match, 3)
    assert (await web.get(f"/matches/{match}/picture.png", If_None_Match=before)).status == 200
    for path in ("/matches/77", "/standings/poker", "/tournaments/77"):
        assert (await web.get(f"{path}/picture.png")).status == 404


async def test_pictures_are_made_once_kept_and_refused_where_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    may_draw, drawn = threading.Event(), list[str]()

    def slow_png(svg: str) -> bytes:
        may_draw.wait()
        drawn.append(svg)
        return svg.encode()

    monkeypatch.setattr(card_pictures, "png", slow_png)
    pictures = PngMaker()
    asked = [asyncio.create_task(pictures.png(str(number))) for number in range(WAITING) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(HttpError) as refused:
        await pictures.png("one more")
    assert refused.value.status == 503
    may_draw.set()
    assert [await each for each in asked] == [str(number).encode() for number in range(WAITING) for _ in range(2)]
    assert sorted(drawn) == sorted(map(str, range(WAITING)))
    for number in range(PICTURES_KEPT + 1):
        await pictures.png(str(number))
    drawn.clear()
    await pictures.png(str(PICTURES_KEPT))
    assert drawn == []
    await pictures.png("0")
    assert drawn == ["0"]


class Cards(HTMLParser):
    """What a page says of itself to other sites, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.properties: dict[str, str] = {}
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "meta" and (name := given.get("property") or given.get("name")):
            assert name not in self.properties
            self.properties[name] = given.get("content") or ""

    def handle_data(self, data: str) -> None:
        self.words += data


async def test_pages_name_their_picture_by_the_address_they_were_asked_by_whatever_they_are_called(
    web: WebServer,
) -> None:
    match = await web.play(LINE)
    order = {"name": '"><script>{{7*7}}&amp;', "game": "nim", "bots": ["ada", "bob"], "start": False}
    cup = (await web.post("/api/v1/tournaments", order)).json["id"]
    for path, title, description in (
        (f"/matches/{match}", "ada \N{EN DASH} bob", "ada completed a line against bob"),
        (f"/standings/{GAME}", "Standings of Tic-tac-toe", "1 rated game"),
        (f"/tournaments/{cup}", order["name"], "2 bots, created"),
    ):
        for host in (web.url.removeprefix("http://"), "localhost"):
            page = Cards((await web.get(path, Host=host)).text)
            reported = page.properties
            for kind in ("og", "twitter"):
                assert reported[f"{kind}:title"] == title
                assert reported[f"{kind}:image"] == f"http://{host}{path}/picture.png"
                assert description in reported[f"{kind}:description"]
            assert reported["og:url"] == f"http://{host}{path}"
            assert reported["twitter:card"] == "summary_large_image"
            assert f'<iframe src="http://{host}/embed{path}" width="' in page.words
        assert (await web.get(f"{path}/picture.png")).headers["Content-Type"] == "image/png"
        assert (await web.get(f"/embed{path}")).status == 200
    assert (await web.get(f"/matches/{match}", Host="evil.example")).status == 403
