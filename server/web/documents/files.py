"""The files of the documents that a server shows. In a wheel they are in `tabiya/server/web/docs`, else in `docs`."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

SERVED = (  # `only-include` in pyproject.toml names the same; a test compares
    "README.md",
    "tutorial",
    "how-to",
    "reference",
    "explanation",
    "security.md",
    "sources.md",
    "pictures",
)
CONTENTS = "README.md"
PACKAGED = Path(__file__).parents[1] / "docs"
WRITTEN = Path(__file__).resolve().parents[3] / "docs"  # resolved: `tabiya/server` is a link to `server` in a checkout


@cache
def served_files() -> dict[str, Path]:
    """Every file that is served, by its path below `docs`; none where they were not installed."""
    root = PACKAGED if PACKAGED.is_dir() else WRITTEN
    files = (file for name in SERVED for top in (root / name,) for file in (top, *sorted(top.rglob("*"))))
    return {file.relative_to(root).as_posix(): file for file in files if file.is_file()}


@cache
def paths_by_name() -> dict[str, str]:
    """Paths of files by name, with and without `.md`, for addresses that people type."""
    paths = [path for path in served_files() if path != CONTENTS]
    return {name: path for path in paths for name in (PurePosixPath(path).name, PurePosixPath(path).stem)}


@cache
def text_of(path: str) -> str:
    """The text of a served file. Raises KeyError, OSError."""
    return served_files()[path].read_text("utf-8")
