"""Which Tabiya runs."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """The version of Tabiya that runs; 0 where it runs from sources that are not installed."""
    try:
        return metadata.version("tabiya")
    except metadata.PackageNotFoundError:
        return "0"
