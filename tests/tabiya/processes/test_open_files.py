"""A server takes as many open files as the machine lets it have: each connection is one."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import resource
from tabiya.processes.server_process import MOST_FILES, allow_many_files
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, {hard}))
allow_many_files()
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(("hard", "expected"), [("300", 300), ("min(hard, 2_000) if hard > 0 else 2_000", None)])
def test_the_soft_limit_of_open_files_is_raised_to_the_hard_limit(hard: str, expected: int | None) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(hard=hard)], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) == (expected or 2_000)
