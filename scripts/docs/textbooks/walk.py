"""Runs every `$ tabiya analyse ...` in a page's blocks and puts its output below it.

Searches of drawn trees are run whenever the page is made. Those of games need compiled code, so that their outputs are
kept with the verdicts, and a test runs them.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import MappingProxyType


def of_games(page: str) -> list[str]:
    """The commands of a page that search a game."""
    commands = [line[2:] for line in page.splitlines() if line.startswith("$ ")]
    return [command for command in commands if "--tree" not in command]


def with_outputs(page: str, kept: Mapping[str, list[str]] = MappingProxyType({})) -> str:
    """The page, the output below each command; several commands of one block are told apart by an empty line.

    kept: outputs by command that are taken as they are.
    """
    lines = list[str]()
    for line in page.splitlines():
        if line.startswith("$ ") and lines[-1] != "```text":
            lines.append("")
        lines.append(line)
        if line.startswith("$ "):
            lines += kept[line[2:]] if line[2:] in kept else output(line[2:])
    return "\n".join(lines) + "\n"


def output(command: str) -> list[str]:
    """The lines that a `tabiya analyse` prints, empty ones and spaces at the ends of lines left out."""
    import typer
    from typer.testing import CliRunner

    from tabiya.cli.players.analyse import analyse

    app = typer.Typer()
    app.command()(analyse)
    result = CliRunner().invoke(app, shlex.split(command)[2:])
    if result.exception is not None:
        raise result.exception
    return [line.rstrip() for line in result.output.splitlines() if line.strip()]
