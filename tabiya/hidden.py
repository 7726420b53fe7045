"""Are the packages that are about to be loaded ours?

Our folders have plain names (`games`, `server`, …), and Python looks beside the started script first. A student's own
`games.py` there would be loaded in place of our rules, and the error would come from somewhere else entirely.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
PACKAGES = ("bots", "games", "protocol", "server", "storage")


class HiddenPackage(ImportError):
    """One of our packages cannot be reached; str(error) says which file hides it and what to do."""


def check_packages(names: Iterable[str] = PACKAGES, home: Path = HOME) -> None:
    """Raise HiddenPackage if one of our packages would come, or has come, from anywhere but beside this one.

    Looks only; loads nothing.
    """
    for name in names:
        found = _found(name)
        if found is None:
            raise HiddenPackage(f"Tabiya's package '{name}' is missing from {home}; install Tabiya again", name=name)
        if not any(place.resolve() == home / name for place in found):
            file = next(iter(found))
            raise HiddenPackage(
                f"{file} hides Tabiya's own package '{name}'; give it another name",
                name=name,
                path=str(file),
            )


def _found(name: str) -> list[Path] | None:
    """Where Python has, or would have, the package: its folders, or the file of a plain module."""
    loaded = sys.modules.get(name)
    try:
        spec = getattr(loaded, "__spec__", None) or importlib.util.find_spec(name)
    except ValueError:  # a module without a spec, made by hand
        spec = None
    places = _places(spec)
    if not places and loaded is not None:
        places = [Path(getattr(loaded, "__file__", None) or f"a module {name} without a file")]
    return places or None


def _places(spec: ModuleSpec | None) -> list[Path]:
    if spec is None:
        return []
    if spec.submodule_search_locations:
        return [Path(folder) for folder in spec.submodule_search_locations]
    return [Path(spec.origin)] if spec.origin else []
