"""The table of contents has every document once, in the order of its page."""

from __future__ import annotations

from tabiya.server.web.documents.contents import contents, in_order, neighbours
from tabiya.server.web.documents.files import CONTENTS, paths_by_name, served_files


def test_every_document_that_is_served_stands_in_it_once() -> None:
    documents = [path for path in served_files() if path.endswith(".md") and path != CONTENTS]
    assert sorted(entry.path for entry in in_order()) == sorted(documents)


def test_its_sections_are_what_a_reader_wants() -> None:
    assert [section.title for section in contents()] == ["Tutorial", "How to", "Reference", "Explanation"]
    assert all(entry.label for entry in in_order())


def test_one_goes_from_each_document_to_the_next_and_back() -> None:
    entries = in_order()
    assert neighbours(entries[0].path) == (None, entries[1])
    assert neighbours(entries[1].path) == (entries[0], entries[2])
    assert neighbours(entries[-1].path) == (entries[-2], None)
    assert neighbours("no-such.md") == (None, None)


def test_no_two_files_have_one_name_so_that_each_is_found_by_it() -> None:
    names = [path.rpartition("/")[2] for path in served_files() if path != CONTENTS]
    assert len(set(names)) == len(names)
    assert paths_by_name()["run-a-class"] == paths_by_name()["run-a-class.md"] == "how-to/run-a-class.md"
