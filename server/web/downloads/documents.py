"""The documents that a server offers. In a wheel they lie flat in `tabiya/server/web/docs`.

In a checkout they are read where they are written. `only-include` in pyproject.toml names the same files; a test
compares.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

SHIPPED = (
    "tutorial/your-first-bot.md",
    "how-to/check-your-bot.md",
    "how-to/another-language.md",
    "reference/client.md",
    "reference/protocol.md",
    "reference/protocol.schema.json",
    "reference/protocol.vectors.json",
    "reference/games.md",
    "reference/clock.md",
    "reference/players.md",
    "reference/command-line.md",
    "reference/configuration.md",
    "reference/api.md",
    "reference/openapi.json",
    "reference/asyncapi.json",
)
PACKAGED = Path(__file__).parents[1] / "docs"
WRITTEN = Path(__file__).resolve().parents[3] / "docs"  # resolved: `tabiya/server` is a link to `server` in a checkout
PLACES = {PurePosixPath(path).name: path for path in SHIPPED}


def path_of(name: str) -> Path | None:
    """The file of a shipped document, None for any other name, and where it was not installed."""
    if name not in PLACES:
        return None
    places = (PACKAGED / name, WRITTEN / PLACES[name])
    return next((path for path in places if path.is_file()), None)
