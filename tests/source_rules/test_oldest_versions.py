"""What leans on more of a package than most do is tried with the oldest version allowed, beside the locked one."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path

import pytest

from tests.processes import ROOT, python

OLDEST = ROOT / "build" / "oldest"  # made by scripts/setup.sh test
VERSIONS = dict(re.findall(r"^(\w+)==(\S+)$", (ROOT / "requirements" / "oldest.in").read_text("utf-8"), re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "tests"),
    [
        ("websockets", "tests/server/transport/test_websocket.py"),
        ("numba", "tests/games/compiled/test_numba_patches.py"),
    ],
)
def test_what_leans_on_a_package_passes_with_its_oldest_version(package: str, tests: str, tmp_path: Path) -> None:
    oldest_first = partial(python, PYTHONPATH=os.pathsep.join(map(str, (OLDEST, ROOT))), NUMBA_CACHE_DIR=str(tmp_path))
    assert oldest_first("-c", f"import {package}; print({package}.__version__)") == f"{VERSIONS[package]}\n"
    printed = oldest_first("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", tests)
    assert re.search(r"^\d+ passed", printed.splitlines()[-1]), printed[-2000:]


def test_the_oldest_versions_are_those_of_the_bounds() -> None:
    bounds = dict(re.findall(r'"(websockets|numba)>=([\d.]+),<', (ROOT / "pyproject.toml").read_text("utf-8")))
    assert {package: re.sub(r"\.0$", "", version) for package, version in VERSIONS.items()} == bounds
