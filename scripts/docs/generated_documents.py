"""Writes every generated document, or checks that the committed ones are fresh.

    python -m scripts.docs.generated_documents            write them
    python -m scripts.docs.generated_documents --check    compare; exit 1 and name each that differs

To add one: give a module of ours a function `documents() -> dict[str, str]` (path from the repository's root ->
whole text, ending in a newline) and add the module to GENERATORS. It must give the same text on every machine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]

GENERATORS = (
    "scripts.docs.protocol_page",
    "scripts.docs.api_page",
    "scripts.docs.api_documents",
    "scripts.docs.client_page",
    "scripts.docs.configuration_page",
    "scripts.docs.design_page",
    "scripts.docs.command_line_page",
    "scripts.docs.hostile_programs_table",
    "scripts.docs.techniques_page",
    "scripts.docs.textbooks.page",
)


def generated(modules: Iterable[str] = GENERATORS) -> dict[str, str]:
    """Every document that the modules generate: path from the root -> text.  Raises ValueError if two claim a path."""
    documents: dict[str, str] = {}
    for name in modules:
        for path, text in import_module(name).documents().items():
            if path in documents:
                raise ValueError(f"{path} is generated twice, the second time by {name}")
            documents[path] = text
    return documents


def stale(documents: Mapping[str, str], root: Path = ROOT) -> list[str]:
    """Paths whose file under `root` is missing or differs from its text, in order."""
    return [path for path, text in documents.items() if _text_of(root / path) != text]


def write(documents: Mapping[str, str], root: Path = ROOT) -> None:
    """Writes each document under `root` (UTF-8, line feeds), making folders as needed."""
    for path, text in documents.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


def _text_of(file: Path) -> str | None:
    return file.read_bytes().decode("utf-8") if file.exists() else None


def main() -> int:
    """Exit status: 0 fresh or written, 1 stale."""
    parser = argparse.ArgumentParser(description="Write or check the generated documents.")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if one is stale")
    arguments = parser.parse_args()
    documents = generated()
    if not arguments.check:
        write(documents)
        print(f"{len(documents)} generated documents written")
        return 0
    outdated = stale(documents)
    for path in outdated:
        print(f"{path} is not what its generator writes now: run `make docs` and commit it", file=sys.stderr)
    if not outdated:
        print(f"{len(documents)} generated documents are fresh")
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main())
