"""Reads a page as a strict browser does and says what such a browser would not show or run."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

VOID = {"meta", "link", "img", "input", "br", "hr"}
DRAWN = {"path", "rect", "line", "circle", "polyline", "use"}  # inside an svg these may close themselves


class Page(HTMLParser):
    """One page: its words, faults and links, but those that say themselves that they lead elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.words = text, ""
        self.links: list[str] = []
        self.faults: list[str] = []
        self._open: list[str] = []
        self._ids: set[str] = set()
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in VOID:
            self._open.append(tag)
        self._check(tag, given)
        for name in ("href", "src"):
            if name in given and "external" not in given.get("rel", ""):
                self.links.append(given[name])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._check(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("script", "style") and data.strip():
            self.faults.append(f"inline {self._open[-1]}: {data[:40]}")
        self.words += data

    def _check(self, tag: str, given: dict[str, str]) -> None:
        self.faults += [f"<{tag} {name}>" for name in given if name.startswith("on") or name == "style"]
        if tag in ("style", "iframe", "object", "embed"):
            self.faults.append(f"<{tag}>")
        if tag == "img" and "alt" not in given:
            self.faults.append("a picture without words")
        if "id" in given:
            if given["id"] in self._ids:
                self.faults.append(f"id {given['id']} twice")
            self._ids.add(given["id"])

    def addresses(self, at: str) -> list[str]:
        """Where the links lead, as seen from the page at `at`; foreign ones are faults."""
        found = []
        for link in self.links:
            parts = urlsplit(urljoin(at, link))
            if parts.scheme or parts.netloc:
                self.faults.append(f"a link to {link}")
            found.append(parts.path + (f"?{parts.query}" if parts.query else ""))
        return found
