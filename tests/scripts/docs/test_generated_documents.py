"""Generated documents are written from their sources and compared with what is committed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from scripts.docs.generated_documents import GENERATORS, generated, stale, write


def generator(monkeypatch: pytest.MonkeyPatch, name: str, documents: dict[str, str]) -> str:
    module = ModuleType(name)
    module.documents = lambda: documents  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, name, module)
    return name


def test_what_is_written_is_fresh_and_what_is_edited_is_stale(tmp_path: Path) -> None:
    documents = {"docs/reference/a.md": "# Ärger\n", "b.json": "{}\n"}
    assert stale(documents, tmp_path) == ["docs/reference/a.md", "b.json"]
    write(documents, tmp_path)
    assert stale(documents, tmp_path) == []
    (tmp_path / "b.json").write_bytes(b"{}\r\n")
    assert stale(documents, tmp_path) == ["b.json"]


def test_every_generator_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    one = generator(monkeypatch, "generator_one", {"a.md": "a\n"})
    two = generator(monkeypatch, "generator_two", {"b.md": "b\n"})
    assert generated([one, two]) == {"a.md": "a\n", "b.md": "b\n"}


def test_two_generators_of_one_document_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    one = generator(monkeypatch, "generator_one", {"a.md": "a\n"})
    two = generator(monkeypatch, "generator_two", {"a.md": "b\n"})
    with pytest.raises(ValueError, match=r"a\.md is generated twice, the second time by generator_two"):
        generated([one, two])


def test_the_committed_documents_are_fresh() -> None:
    documents = generated(GENERATORS)
    assert stale(documents) == [], "run `make docs`"
    assert all(text.endswith("\n") for text in documents.values())
