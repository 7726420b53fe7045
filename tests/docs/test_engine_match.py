"""The commands of the page about matches between engines are commands that there are."""

from __future__ import annotations

import re
import shlex

import pytest
import typer

from tabiya.cli.main import assemble
from tabiya.cli.rule_options import with_rules_joined
from tests.source_rules.sources import ROOT

PAGE = ROOT / "docs/how-to/engine-match.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """The lines of all blocks, without their comments."""
    lines = "".join(BLOCK.findall(PAGE.read_text("utf-8"))).splitlines()
    return [line.partition("  #")[0].strip() for line in lines if line.startswith("tabiya ")]


def test_the_page_shows_commands() -> None:
    assert len(commands()) >= 8


@pytest.mark.parametrize("line", commands())
def test_every_command_of_the_page_is_understood(line: str) -> None:
    _, name, *words = shlex.split(line)
    group = typer.main.get_command(assemble([name]))
    command = group.commands[name]  # type: ignore[attr-defined]
    context = command.make_context(name, with_rules_joined(words))
    assert context.params["game"] or name == "export"
