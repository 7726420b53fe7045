"""`tabiya exercises`: a document that prints, the same for the same seed, with links to a server's explorer."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tabiya.cli.players.exercises import exercises
from tabiya.errors import UserError

APP = typer.Typer(pretty_exceptions_enable=False)
APP.command()(exercises)


def made(file: Path, *options: str) -> str:
    """The document that the command writes. Raises UserError as the command does."""
    result = CliRunner().invoke(APP, [*options, "-o", str(file)])
    if result.exception is not None:
        raise result.exception
    return file.read_text("utf-8")


class Elements(HTMLParser):
    """All elements with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))


def test_the_same_seed_writes_the_same_document_and_another_one_another(tmp_path: Path) -> None:
    one, again, other = (made(tmp_path / "sheet.html", "--seed", seed, "--count", "3") for seed in ("7", "7", "8"))
    assert one == again != other
    assert one.count('class="exercise"') == one.count('class="solution"') == 3


def test_it_needs_nothing_else_and_links_to_the_server_that_is_named(tmp_path: Path) -> None:
    text = made(
        tmp_path / "sheet.html", "--kind", "cuts", "--kind", "order", "--level", "2", "-s", "class.example:8080"
    )
    elements = Elements(text).all
    assert {tag for tag, _ in elements}.isdisjoint({"script", "link", "img", "form"})
    assert not any("src" in attributes for _, attributes in elements)
    links = [str(attributes["href"]) for tag, attributes in elements if tag == "a"]
    assert {link[:1] for link in links if not link.startswith("http://class.example:8080/explore")} == {"#"}
    assert "http://class.example:8080/explore/exercises?seed=1&level=2&kinds=cuts,order" in links
    assert sum(link.startswith("http://class.example:8080/explore?") for link in links) == 6
    ids = {attributes.get("id") for _, attributes in elements}
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    assert re.findall(r"url\(|@import", text) == []


def test_what_cannot_be_made_or_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no 'chess'"):
        made(tmp_path / "sheet.html", "--kind", "chess")
    with pytest.raises(UserError, match="cannot be written: No such file"):
        made(tmp_path / "away" / "sheet.html")
