"""Programs of others that check our files for them: fetched by scripts/setup.sh test, or those of the machine."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.house.sources import ROOT

FETCHED = ROOT / "build" / "programs" / "usr" / "bin"


def program(name: str) -> str:
    """Where it is; skips the test where it cannot be had, and fails it where everything must be there."""
    found = shutil.which(name, path=str(FETCHED)) or shutil.which(name)
    if found is None:
        sentence = f"{name} is not here: scripts/setup.sh test fetches it on Debian"
        if os.environ.get("CI"):
            pytest.fail(sentence)
        pytest.skip(sentence)
    return found
