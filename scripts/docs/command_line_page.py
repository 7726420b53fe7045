"""docs/reference/command-line.md, made from the commands themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import typer

from scripts.docs.markdown import one_line

Row = tuple[str, str]

PAGE = "docs/reference/command-line.md"
HEAD = """# The command line

*Made from the commands by `make docs`; do not edit.* The names are [stable](stability.md).

[Players](players.md) explains how to write a PLAYER. [Configuration](configuration.md#commands) explains how commands
find a running server and a token, and lists every setting of a server.

An error is one sentence on standard error, with an exit status other than 0. Lists take `--format table|json|csv`.

Options of several commands are explained here; each command lists them under *Shared*.
"""


SHARED_AT = 3  # an argument or option with the same text in so many commands is explained once


def documents() -> dict[str, str]:
    """The page, by its path from the root."""
    from tabiya.cli.main import assemble

    commands = list(_commands(typer.main.get_command(assemble()), "tabiya"))
    counts = Counter(row for _, command in commands for row in _rows(command))
    shared = sorted(row for row, count in counts.items() if count >= SHARED_AT)
    plain = [(name, command) for name, command in commands if not command.params]
    sections = [_section(name, command, shared) for name, command in commands if command.params]
    sections += [_plain_group(group, members) for group, members in _by_group(plain)]
    return {PAGE: "\n".join([HEAD, _listed(shared), *sorted(sections)])}


def _by_group(commands: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Commands by all words of their name but the last."""
    for group, members in groupby(commands, key=lambda each: each[0].rpartition(" ")[0]):
        yield group, list(members)


def _plain_group(group: str, members: Sequence[tuple[str, Any]]) -> str:
    """The section of commands that have options only when they run."""
    rows = [(f"`{name}`", one_line(command.help).partition(f" `{name} --help`")[0]) for name, command in members]
    return "\n".join([f"## {group}", "", "`--help` shows the options of each.", "", _listed(rows)])


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name in sorted(group.commands):
        command = group.commands[name]
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any, shared: Sequence[Row]) -> str:
    rows = _rows(command)
    arguments = [_argument(param) for param in command.params if param.param_type_name == "argument"]
    usage = " ".join([name, *arguments, *(["[OPTIONS]"] if len(rows) > len(arguments) else [])])
    lines = [f"## {name}", "", f"    {usage}", "", one_line(command.help), ""]
    own = [row for row in rows if row not in shared]
    also = [names for names, meaning in rows if (names, meaning) in shared]
    return "\n".join([*lines, *([_listed(own)] if own else []), *([f"Shared: {', '.join(also)}.", ""] if also else [])])


def _listed(rows: Iterable[Row]) -> str:
    return "".join(f"* {names}: {meaning}\n" for names, meaning in rows)


def _argument(param: Any) -> str:
    name = param.name.upper() + ("..." if param.nargs == -1 else "")
    return name if param.required else f"[{name}]"


def _rows(command: Any) -> list[Row]:
    """The arguments of a command, then its options, each with its names and its meaning."""
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    return [(f"`{param.name.upper()}`", _meaning(param)) for param in arguments] + [
        (", ".join(f"`{one}`" for one in (*param.opts, *param.secondary_opts)), _meaning(param)) for param in options
    ]


def _meaning(param: Any) -> str:
    text = one_line(getattr(param, "help", ""))
    default = param.default
    if default not in (None, False, "", (), []) and not callable(default) and not param.required:
        shown = param.opts[0] if default is True else getattr(default, "value", default)
        text += f" [default: {shown}]"
    return text
