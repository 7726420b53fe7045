"""The table of hostile programs in docs/security.md, made from the programs that the tests run."""

from __future__ import annotations

from pathlib import Path

from scripts.docs.markdown import put_between_marks
from tests.tabiya.sandbox.hostile import KINDS
from tests.tabiya.sandbox.hostile.program import HostileProgram

PAGE = "docs/security.md"


def documents() -> dict[str, str]:
    """The page with its table made again."""
    text = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")
    return {PAGE: put_between_marks(text, "hostile programs", _table())}


def _table() -> str:
    lines = ["| | a program that | in a sandbox | without one |", f"|{' --- |' * 4}"]
    for kind, programs in KINDS.items():
        for number, program in enumerate(programs):
            lines.append(f"| {'' if number else kind} | {program.tries} | {_in_sandboxes(program)} | {program.alone} |")
    return "\n".join(lines)


def _in_sandboxes(program: HostileProgram) -> str:
    held = f"held by the control group ({program.held_by})" if program.held_by else "held"
    return "; ".join([held, *(f"with {kind.capitalize()} {what}" for kind, what in program.open_with.items())])
