"""Every picture that a document shows is there and has words for who cannot see it; none is there for nothing."""

from __future__ import annotations

import re

from tests.docs.test_pages import PAGES, name, prose
from tests.source_rules.sources import ROOT

PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
MOST_BYTES = 1_000_000  # all pictures together: anyone who installs the package fetches them too

SHOWN = [(page, words, page.parent / path) for page in PAGES for words, path in PICTURE.findall(prose(page))]


def test_every_picture_that_is_shown_exists_and_is_described() -> None:
    assert SHOWN
    for page, words, file in SHOWN:
        assert file.is_file(), f"{name(page)}: {file}"
        assert len(words.split()) >= 4, f"{name(page)}: {file.name} is described as {words!r}"


def test_every_picture_is_shown_somewhere_and_all_together_are_small() -> None:
    files = set((ROOT / "docs/pictures").iterdir())
    assert files == {file.resolve() for _, _, file in SHOWN}
    assert sum(file.stat().st_size for file in files) < MOST_BYTES
