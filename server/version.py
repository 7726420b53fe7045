"""The version of Tabiya."""

from __future__ import annotations

import functools
from importlib import metadata


@functools.cache  # looking it up takes milliseconds, and every page shows it
def version() -> str:
    """The version of Tabiya that runs; 0 where it runs from sources that are not installed."""
    try:
        return metadata.version("tabiya")
    except metadata.PackageNotFoundError:
        return "0"
