"""Engines of Debian that the adapters are tried with: scripts/setup.sh test installs them."""

from __future__ import annotations

import os
import shutil

import pytest


def engine(name: str) -> str:
    """Where it is; skips the test where it cannot be had, and fails it where everything must be there."""
    found = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/games"]))
    if found is None:
        sentence = f"{name} is not here: scripts/setup.sh test installs it on Debian"
        if os.environ.get("CI"):
            pytest.fail(sentence)
        pytest.skip(sentence)
    return found
