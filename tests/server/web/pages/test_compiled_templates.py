"""Templates are compiled once for all environments of a process, and again when they change."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from tabiya.server.web.pages.compiled_templates import CompiledTemplates


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "page.html"
    file.write_text("{% macro twice(word) %}{{ word }} {{ word }}{% endmacro %}{{ twice('hello') }}")
    return file


def rendered(page: Path, compiled: CompiledTemplates) -> str:
    """The page by an environment of its own."""
    loader = jinja2.FileSystemLoader(page.parent)
    return jinja2.Environment(loader=loader, autoescape=True, bytecode_cache=compiled).get_template(page.name).render()


def test_another_environment_compiles_nothing(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = CompiledTemplates()
    assert rendered(page, compiled) == "hello hello"
    monkeypatch.delattr(jinja2.Environment, "compile")
    assert rendered(page, compiled) == "hello hello"
    with pytest.raises(AttributeError, match="compile"):
        rendered(page, CompiledTemplates())


def test_a_template_that_has_changed_is_compiled_anew(page: Path) -> None:
    compiled = CompiledTemplates()
    assert rendered(page, compiled) == "hello hello"
    page.write_text("goodbye")
    assert rendered(page, compiled) == "goodbye"
