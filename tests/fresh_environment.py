"""A student's machine: a fresh environment in which what Tabiya needs lies ready, and nothing of ours."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

from tabiya.games.compiled.cache import KERNEL_FOLDERS
from tests.source_rules.sources import ROOT

UV = str(Path(sys.executable).with_name("uv"))


def needed_by(name: str, extras: tuple[str, ...], known: dict[str, Distribution]) -> dict[str, Distribution]:
    """Add to `known` a distribution and all that it needs on this system, as installed here."""
    if name.lower() not in known or extras:
        known[name.lower()] = found = distribution(name)
        for text in found.requires or ():
            wanted = Requirement(text)
            if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                needed_by(wanted.name, tuple(wanted.extras), known)
    return known


class FreshEnvironment:
    """A virtual environment `.venv` in a folder, without pip: what it would fetch is linked to what is here."""

    def __init__(self, folder: Path, *extras: str) -> None:
        """extras: of ours, whose packages lie ready beside the base's."""
        venv.create(folder / ".venv", with_pip=False, symlinks=True)
        self.bin = folder / ".venv" / "bin"
        self.site = next((folder / ".venv").glob("lib/python3*/site-packages"))
        needed = needed_by("tabiya", extras, {})
        del needed["tabiya"]
        for each in needed.values():
            self._link(each)

    def _link(self, each: Distribution) -> None:
        for top in {Path(str(file)).parts[0] for file in each.files or ()} - {"..", "__pycache__"}:
            source, here = Path(str(each.locate_file(top))), self.site / top
            if here.exists():
                continue
            if top.endswith(".dist-info"):  # uv looks for folders
                shutil.copytree(source, here)
            else:
                here.symlink_to(source)

    def install(self, what: str) -> None:
        """As `pip install` does, and that everything fits together; no index is asked."""
        python = ("--python", str(self.bin / "python"))
        for command in (("install", "--no-cache", "--no-index", *python, what), ("check", *python)):
            done = subprocess.run([UV, "pip", *command], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr

    def take_kernels(self) -> None:
        """Have there what is compiled here, as on a machine that has played before: both have the same sources."""
        for folder in KERNEL_FOLDERS:
            for kept in (ROOT / folder).rglob("__pycache__/*.nb[ic]"):
                there = self.site / "tabiya" / kept.relative_to(ROOT)
                there.parent.mkdir(exist_ok=True)
                shutil.copy(kept, there)
