"""The table of hostile programs in docs/security.md, made from the programs that the tests run."""

from __future__ import annotations

from pathlib import Path

from scripts.docs.markdown import put_between_marks
from tabiya.sandbox.sandbox import SandboxKind
from tests.tabiya.sandbox.hostile import KINDS
from tests.tabiya.sandbox.hostile.program import HostileProgram

PAGE = "docs/security.md"


def documents() -> dict[str, str]:
    """The page with its table made anew."""
    text = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")
    return {PAGE: put_between_marks(text, "hostile programs", _table())}


def _table() -> str:
    lines = ["| | a program that | bubblewrap | podman | Landlock | without a sandbox |", f"|{' --- |' * 6}"]
    for kind, programs in KINDS.items():
        for program in programs:
            cells = (_cell(program, kind) for kind in SandboxKind)
            lines.append(f"| {kind} | {program.tries} | {' | '.join(cells)} | {program.alone} |")
    return "\n".join(lines)


def _cell(program: HostileProgram, kind: SandboxKind) -> str:
    held = f"held by the control group ({program.held_by})" if program.held_by else "held"
    return program.open_with.get(kind, held)
