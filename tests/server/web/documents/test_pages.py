"""The pages under /docs: whole, without a dead link, with the server's own address."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import urldefrag, urljoin

import pytest

from tabiya import __version__
from tabiya.server.web.documents.contents import in_order
from tabiya.server.web.documents.files import served_files
from tabiya.server.web.downloads.client_wheel import client_wheel
from tests.server.web.browser import Browser
from tests.server.web.page_reader import Page
from tests.server.web.web_server import WebServer, web_server


class Outline(HTMLParser):
    """The levels of the headings of a page, and all its ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        self.ids.update(value or "" for name, value in attrs if name == "id")


@pytest.mark.slow
async def test_no_link_of_any_document_is_dead(web: WebServer) -> None:
    texts = {"/docs/": (await web.get("/docs/")).text}
    for entry in in_order():
        answer = await web.get(entry.address)
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8"), entry.path
        texts[entry.address] = answer.text
    ids = {path: Outline(text).ids for path, text in texts.items()}
    others = set()
    for path, text in texts.items():
        for link in Page(text).links:
            address, anchor = urldefrag(urljoin(path, link))
            if address in ids:
                assert not anchor or anchor in ids[address], f"{path}: {link}"
            else:
                others.add(address)
    for address in sorted(others):
        assert (await web.get(address)).status in (200, 302), address


@pytest.mark.slow
async def test_every_document_is_a_whole_page_with_one_title_and_no_heading_left_out(web: WebServer) -> None:
    for address in ("/docs/", *(entry.address for entry in in_order())):
        text = (await web.get(address)).text
        read = Page(text)
        read.addresses(address)
        assert read.faults == [], address
        levels = Outline(text).levels
        assert levels[0] == 1, address
        assert levels.count(1) == 1, address
        assert all(after <= before + 1 for before, after in pairwise(levels)), address


async def test_the_servers_own_address_stands_in_the_documents() -> None:
    async with web_server(host="0.0.0.0") as web:
        for address in ("/docs/tutorial/your-first-bot", "/docs/tutorial/your-first-bot.md"):
            answer = await web.get(address, Host="192.0.2.7:8080")
            words = Page(answer.text).words if address.endswith("bot") else answer.text
            assert f'pip install "tabiya[all] @ http://192.0.2.7:8080/client/{client_wheel().name}"' in words
            assert "//ADDRESS" not in answer.text


async def test_a_document_as_it_is_written_is_at_its_address_with_md_and_files_are_what_they_are(
    web: WebServer,
) -> None:
    types = {".md": "text/plain", ".json": "application/json", ".svg": "image/svg+xml", ".webp": "image/webp"}
    for path, file in served_files().items():
        answer = await web.get(f"/docs/{path}")
        assert answer.status == 200, path
        assert answer.headers["Content-Type"].partition(";")[0] == types[file.suffix], path
    assert (await web.get("/docs/reference/protocol.schema.json")).json["$schema"]


async def test_a_name_without_its_folder_leads_to_its_page(web: WebServer) -> None:
    for asked, led in (
        ("/docs", "/docs/"),
        ("/docs/protocol", "/docs/reference/protocol"),
        ("/docs/protocol.md", "/docs/reference/protocol.md"),
        ("/docs/openapi.json", "/docs/reference/openapi.json"),
    ):
        answer = await web.get(asked)
        assert (answer.status, answer.headers["Location"]) == (302, led)


@pytest.mark.parametrize(
    "path", ["server.py", "..%2fpyproject.toml", "measurements/README.md", "README", "tutorial", "x/"]
)
async def test_nothing_else_is_there(web: WebServer, path: str) -> None:
    assert (await web.get(f"/docs/{path}")).status == 404


async def test_a_search_shows_where_words_stand_and_says_if_nowhere(web: WebServer) -> None:
    read = Page((await web.get("/docs/?search=lag+credit")).text)
    assert "/docs/reference/clock#lag-credit" in read.links
    assert "Lag credit in The clock" in read.words
    text = (await web.get("/docs/?search=%22%3E%3Cscript%3Ezzyzx")).text
    assert "Nothing with “&#34;&gt;&lt;script&gt;zzyzx”" in text
    assert Page(text).faults == []


async def test_a_document_says_of_which_version_it_is(web: WebServer) -> None:
    assert f"Tabiya {__version__}." in Page((await web.get("/docs/reference/clock")).text).words


async def test_a_document_that_a_browser_has_is_not_sent_again(web: WebServer) -> None:
    first = await web.get("/docs/reference/clock")
    again = await web.get("/docs/reference/clock", If_None_Match=first.headers["ETag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.slow
async def test_code_is_copied_by_keyboard_and_the_lists_are_open_where_there_is_room(
    web: WebServer, tab: Browser
) -> None:
    size = {"height": 900, "deviceScaleFactor": 1, "mobile": False}
    await tab.tell("Emulation.setDeviceMetricsOverride", width=1440, **size)
    await tab.open(f"{web.url}/docs/tutorial/your-first-bot")
    seen = "document.querySelector('.docs-side nav a').checkVisibility()"
    assert await tab.read(seen)
    await tab.read("document.execCommand = () => { window.taken = String(getSelection()); return window.lets; }")
    await tab.read("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    await tab.read("document.querySelector('.copy').focus()")
    for lets, says in (("false", "Press Ctrl+C"), ("true", "Copied")):
        await tab.read(f"window.lets = {lets}")
        await tab.tell("Input.dispatchKeyEvent", type="keyDown", key="Enter", text="\r")
        await tab.until(f"document.activeElement.textContent === '{says}'")
    assert await tab.read("taken.trim() === document.querySelector('pre code').textContent.trim()")
    await tab.tell("Emulation.setDeviceMetricsOverride", width=320, **size)
    assert await tab.read("document.documentElement.scrollWidth <= 320")
    assert not await tab.read(seen)
    assert tab.complaints == []
