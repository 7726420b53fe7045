"""The words of a command that the reference of the command line does not know."""

from __future__ import annotations

from collections.abc import Sequence

from tests.source_rules.sources import ROOT

REFERENCE = ROOT / "docs" / "reference" / "command-line.md"


def unknown_flags(words: Sequence[str]) -> list[str]:
    """The options that the command, the first of the words, does not have. Raises ValueError if there is none such."""
    section = REFERENCE.read_text("utf-8").partition(f"\n## tabiya {words[0]}\n")[2].partition("\n## ")[0]
    if not section:
        raise ValueError(f"tabiya has no command {words[0]}")
    return [word for word in words if word.startswith("--") and f"`{word}`" not in section]
