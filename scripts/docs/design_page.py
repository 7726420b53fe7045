"""The tables of docs/reference/design.md: the custom properties of the pages' stylesheet, with what each is for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from scripts.docs.markdown import put_between_marks, table

ROOT = Path(__file__).parents[2]
SHEET = ROOT / "server/web/pages/static/tabiya.css"
PAGE = "docs/reference/design.md"
LINE = re.compile(r"^  (?:/\* (?P<group>.+) \*/|(?P<name>--[\w-]+): (?P<value>[^;]+); /\* (?P<use>.+) \*/)$")
DARK = re.compile(r"(--[\w-]+): ([^;]+);")


class Role(NamedTuple):
    """A custom property. dark: its value in the dark, empty where it is the same."""

    name: str
    value: str
    dark: str
    use: str


def roles() -> dict[str, list[Role]]:
    """All properties by group, in the order of the sheet. A line of `:root` in another shape raises ValueError."""
    light, dark = re.findall(r":root \{\n(.*?)\n *\}", SHEET.read_text(encoding="utf-8"), re.DOTALL)[:2]
    in_the_dark = dict(DARK.findall(dark))
    groups: dict[str, list[Role]] = {}
    for line in filter(None, light.split("\n")[1:]):
        found = LINE.match(line)
        if found is None:
            raise ValueError(f"not a property with what it is for: {line}")
        if found["group"]:
            groups[found["group"]] = []
        else:
            role = Role(found["name"], found["value"], in_the_dark.pop(found["name"], ""), found["use"])
            groups[next(reversed(groups))].append(role)
    if in_the_dark:
        raise ValueError(f"in the dark only: {in_the_dark}")
    return groups


def documents() -> dict[str, str]:
    """The page with its tables made again."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    tables = "\n\n".join(_table(group, members) for group, members in roles().items())
    return {PAGE: put_between_marks(text, "properties", tables)}


def _table(group: str, members: list[Role]) -> str:
    coloured = any(role.dark for role in members)
    heads = ["property", *(["light", "dark"] if coloured else ["value"]), "for"]
    rows = [
        [f"`{role.name}`", f"`{role.value}`", *([f"`{role.dark}`"] if coloured else []), role.use] for role in members
    ]
    return f"### {group[0].upper()}{group[1:]}\n\n{table(heads, rows)}"
