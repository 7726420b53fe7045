"""The site of the documents: every page, a search and a menu of versions in a browser, nothing from elsewhere."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scripts.docs import site
from tabiya.server.web.documents.contents import contents, in_order
from tests.server.web.browser import browser, new_tab


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, beside one of a version before."""
    root = tmp_path_factory.mktemp("docs")
    (root / "site" / "0.9").mkdir(parents=True)
    return site.build(root)


@pytest.fixture
def address(built: Path) -> Iterator[str]:
    """Of the site, served as files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(built.parent))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_every_document_is_a_page_whose_code_is_code_and_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    for entry in in_order():
        text = (built / entry.path.removesuffix(".md") / "index.html").read_text("utf-8")
        assert "```" not in text, entry.path
        assert re.findall(r'<(?:script|img|link rel="stylesheet")[^>]* (?:src|href)="?https?:', text) == [], entry.path
    assert {each["version"] for each in json.loads((built.parent / "versions.json").read_text())} == {built.name, "0.9"}
    assert f"url={built.name}/" in (built.parent / "index.html").read_text()


@pytest.mark.slow
async def test_the_site_is_searched_and_has_a_part_for_each_kind_of_page_and_a_menu_of_versions(
    built: Path, address: str
) -> None:
    with browser() as program:
        async with new_tab(program) as tab:
            await tab.open(f"{address}/{built.name}/")
            parts = await tab.read("[...document.querySelectorAll('.md-tabs__link')].map(a => a.textContent.trim())")
            assert parts == ["Documents", *(section.title for section in contents())]
            await tab.until("document.querySelectorAll('.md-version__link').length == 2")
            await tab.read("[...document.querySelectorAll('button')].find(b => b.innerText.includes('Search')).click()")
            shadows = "[...document.querySelectorAll('*')].flatMap(e => e.shadowRoot ?? [])"
            await tab.until(f"{shadows}.some(s => s.querySelector('input'))")
            await tab.read(f"{shadows}.map(s => s.querySelector('input')).find(i => i).focus()")
            await tab.tell("Input.insertText", text="lag credit")
            links = f"{shadows}.flatMap(s => [...s.querySelectorAll('a')].map(a => a.href))"
            await tab.until(f"{links}.some(a => a.includes('/reference/clock/'))")
            assert tab.complaints == []


@pytest.mark.slow
def test_a_dead_link_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a site of two pages: `built` has tried all of ours."""
    pages = {name: tmp_path / name for name in ("README.md", "sources.md")}
    monkeypatch.setattr(site, "served_files", lambda: pages)
    monkeypatch.setattr(site, "contents", lambda: ())
    monkeypatch.setattr(site, "page", lambda text, path: text)  # else what leads nowhere becomes words
    pages["sources.md"].write_text("# Sources\n\n## Rules\n")
    pages["README.md"].write_text("# Documents\n\n[sound](sources.md#rules)\n")
    site.build(tmp_path / "site")
    for link in ("nowhere.md", "sources.md#nowhere"):
        pages["README.md"].write_text(f"# Documents\n\n[sound](sources.md#rules) [dead]({link})\n")
        with pytest.raises(subprocess.CalledProcessError):
            site.build(tmp_path / "site")


def test_links_out_of_the_site_become_words_and_fences_keep_their_language_alone() -> None:
    text = "[a](../CONTRIBUTING.md) [b](sources.md) ![c](pictures/play.webp)\n```sh install\npip\n```\n"
    assert site.page(text, "README.md") == "a [b](sources.md) ![c](pictures/play.webp)\n```sh\npip\n```\n"
