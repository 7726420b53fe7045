"""The table of hostile programs in docs/security.md, made from the programs that the tests run."""

from __future__ import annotations

from pathlib import Path

from tests.tabiya.sandbox.hostile_programs import BOMBS, NETWORK, OPEN_WITH, POWER, READING, WRITING

PAGE = "docs/security.md"
BEGIN, END = "<!-- hostile programs: begin -->", "<!-- hostile programs: end -->"
KINDS = (("Files", READING), ("Network", NETWORK), ("Writing", WRITING), ("Power", POWER), ("Without end", BOMBS))


def documents() -> dict[str, str]:
    """The page with its table made anew."""
    text = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return {PAGE: f"{before}{BEGIN}\n{_table()}\n{END}{after}"}


def _table() -> str:
    lines = ["| | a program that | bubblewrap | Landlock | neither |", "| --- | --- | --- | --- | --- |"]
    for kind, programs in KINDS:
        for name in programs:
            cells = [OPEN_WITH[strength].get(name, "held") for strength in ("bubblewrap", "landlock")]
            lines.append(f"| {kind} | {name} | {' | '.join(cells)} | as its user may |")
    return "\n".join(lines)
