"""docs/reference/command-line.md, made from the commands themselves: `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

PAGE = "docs/reference/command-line.md"
HEAD = """# The command line

*Made from the commands by `make docs`; do not edit.* The names are a promise.

A PLAYER is written the same everywhere: see [players.md](players.md). How commands find a running server and prove who
they are, by flag, environment and file, is in [configuration.md](configuration.md#commands); so are the server's own
settings, beside those of `tabiya serve`.

An error is one sentence on standard error and an exit status other than 0. Lists take `--format table|json|csv`.
"""


def documents() -> dict[str, str]:
    """The page, by its path from the root."""
    from tabiya.cli.main import assemble

    group = typer.main.get_command(assemble())
    parts = [HEAD]
    for name, command in _commands(group, "tabiya"):
        parts.append(_section(name, command))
    return {PAGE: "\n".join(parts)}


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name in sorted(group.commands):
        command = group.commands[name]
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any) -> str:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join([name, *(_argument(param) for param in arguments), *(["[OPTIONS]"] if options else [])])
    lines = [f"## {name}", "", f"    {usage}", "", _one_line(command.help), ""]
    if command.params:
        lines += ["| argument or option | meaning |", "| --- | --- |"]
        lines += [f"| {_name(param)} | {_meaning(param)} |" for param in (*arguments, *options)]
        lines.append("")
    return "\n".join(lines)


def _argument(param: Any) -> str:
    name = param.name.upper() + ("..." if param.nargs == -1 else "")
    return name if param.required else f"[{name}]"


def _name(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"`{param.name.upper()}`"
    return ", ".join(f"`{one}`" for one in (*param.opts, *param.secondary_opts))


def _meaning(param: Any) -> str:
    text = _one_line(getattr(param, "help", "") or "")
    default = param.default
    if default not in (None, False, "", (), []) and not callable(default) and not param.required:
        shown = param.opts[0] if default is True else getattr(default, "value", default)
        text += f" [default: {shown}]"
    return text.replace("|", "\\|")


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())
