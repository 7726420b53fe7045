"""Programs of others that tests need: fetched or installed by scripts/setup.sh test, or those of the machine."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest

from tests.source_rules.sources import ROOT

PLACES = (str(ROOT / "build" / "programs" / "usr" / "bin"), os.environ["PATH"], "/usr/games")


def program(name: str) -> str:
    """Where it is; ends the test as `missing` does where it cannot be had."""
    found = shutil.which(name, path=os.pathsep.join(PLACES))
    return found or missing(f"{name} is not here: scripts/setup.sh test installs or fetches it on Debian")


def missing(sentence: str) -> NoReturn:
    """Skip the test, and fail it where everything must be there."""
    if os.environ.get("CI"):
        pytest.fail(sentence)
    pytest.skip(sentence)
