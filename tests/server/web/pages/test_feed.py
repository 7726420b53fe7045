"""The feed of ended tournaments keeps the rules of RFC 4287, whatever tournaments are called."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from tabiya.server.web.pages import feed, pages
from tests.server.local_bots import first_legal
from tests.server.web.web_server import WebServer

PATH, ATOM, XHTML = "/tournaments/feed.atom", "{http://www.w3.org/2005/Atom}", "{http://www.w3.org/1999/xhtml}"
HOSTILE = "</title><script>alert(1)</script>{{7*7}}&amp; ]]>"


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page is shared, so that every one shows this very moment."""
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 0.0)


async def hold(web: WebServer, name: str, *bots: str) -> int:
    """A tournament of these bots, played to its end."""
    for bot in bots:
        await web.bot(bot, first_legal, max_matches=2)
    made = await web.post("/api/v1/tournaments", {"game": "nim", "name": name, "bots": bots, "seed": 4})
    await web.tournament_ends(bots[0])
    return int(made.json["id"])


async def read(web: WebServer, **headers: str) -> ElementTree.Element:
    answer = await web.get(PATH, **headers)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/atom+xml; charset=utf-8")
    assert answer.text.startswith('<?xml version="1.0" encoding="utf-8"?>')
    return ElementTree.fromstring(answer.text)


def assert_valid(root: ElementTree.Element) -> None:
    """The rules of RFC 4287, section 4, for what our feed has."""
    assert root.tag == f"{ATOM}feed"
    entries = root.findall(f"{ATOM}entry")
    for each in (root, *entries):
        for name in ("id", "title", "updated"):  # exactly one each (4.1.1, 4.1.2)
            assert len(each.findall(ATOM + name)) == 1, name
        assert urlsplit(text_of(each, "id")).scheme in ("http", "urn")  # an absolute IRI (4.2.6)
        assert datetime.fromisoformat(text_of(each, "updated")).tzinfo is not None  # RFC 3339 (3.3)
        kinds = [(link.get("rel"), link.get("type")) for link in each.findall(f"{ATOM}link")]
        assert len(set(kinds)) == len(kinds)  # no two alternates of one type (4.1.1, 4.1.2)
        for link in each.findall(f"{ATOM}link"):
            assert urlsplit(link.get("href", "")).scheme == "http"
    assert root.find(f"{ATOM}author/{ATOM}name") is not None  # or every entry has one (4.1.1)
    assert len({text_of(entry, "id") for entry in entries}) == len(entries)
    for entry in entries:
        (content,) = entry.findall(f"{ATOM}content")
        assert content.get("type") == "xhtml"
        assert [child.tag for child in content] == [f"{XHTML}div"]  # one div and nothing else (4.1.3.3)
        assert all(part.tag.startswith(XHTML) for part in content.iter() if part is not content)


def text_of(element: ElementTree.Element, name: str) -> str:
    return element.findtext(ATOM + name) or ""


async def test_a_feed_without_a_tournament_is_valid(web: WebServer) -> None:
    assert_valid(await read(web))
    assert PATH in (await web.get("/tournaments")).text


async def test_every_tournament_is_told_with_winner_and_table_under_a_name_that_stays(web: WebServer) -> None:
    first, second = await hold(web, HOSTILE, "ada", "bob"), await hold(web, "cup", "eve", "tim")
    root = await read(web)
    assert_valid(root)
    entries = root.findall(f"{ATOM}entry")
    answer = await web.json(f"/api/v1/tournaments/{first}")
    winners = ", ".join(leader["bot"] for leader in answer["leaders"])
    assert [text_of(entry, "title") for entry in entries][1] == f"{HOSTILE}: won by {winners}"
    links = [entry.find(f"{ATOM}link") for entry in entries]
    assert [link is not None and link.get("href") for link in links] == [
        f"{web.url}/tournaments/{number}" for number in (second, first)
    ]
    cells = [[cell.text for cell in row] for row in entries[1].iter(f"{XHTML}tr")][1:]
    assert [(rank, bot) for rank, bot, *_ in cells] == [(str(line["rank"]), line["bot"]) for line in answer["lines"]]
    assert text_of(root, "updated") == text_of(entries[0], "updated") >= text_of(entries[1], "updated")
    elsewhere = await read(web, Host="localhost")
    assert [text_of(one, "id") for one in elsewhere.findall(f"{ATOM}entry")] == [text_of(one, "id") for one in entries]


async def test_one_that_has_read_it_is_told_so_until_another_tournament_ends(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hold(web, "first cup", "ada", "bob")
    known = (await web.get(PATH)).headers["ETag"]
    assert (await web.get(PATH, If_None_Match=known)).status == 304
    monkeypatch.setattr(feed, "ENTRIES", 1)
    await hold(web, "second cup", "eve", "tim")
    answer = await web.get(PATH, If_None_Match=known)
    assert (answer.status, "second cup" in answer.text, "first cup" in answer.text) == (200, True, False)
