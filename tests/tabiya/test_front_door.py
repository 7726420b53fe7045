"""The names a bot author imports, and what must not be installed for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tabiya
from tests.processes import without

ROOT = Path(tabiya.__file__).parent.parent

STUDENT = without(
    *("numba", "numpy", "llvmlite", "uvloop", "pebble", "aiohttp", "sqlalchemy"),
    *("fcntl", "pwd", "grp", "resource", "termios", "readline"),
)


def python(program: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script that finds our packages behind its own folder, as an installation would be found."""
    script = cwd / "script.py"
    script.write_text(f"import sys\nsys.path.append({str(ROOT)!r})\n{program}")
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=cwd, check=False)


def test_importing_the_front_door_loads_nothing_of_ours() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, tabiya; print([m for m in sys.modules if m.startswith(('tabiya.', 'msgspec'))])",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_every_promised_name_is_there() -> None:
    for name in tabiya.__all__:
        assert getattr(tabiya, name) is not None
    assert set(tabiya.__all__) <= set(dir(tabiya))


def test_another_name_is_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bott'"):
        _ = tabiya.Bott  # type: ignore[attr-defined]  # that is the test


@pytest.mark.slow
def test_a_bot_needs_neither_compiled_engines_nor_posix(tmp_path: Path) -> None:
    done = python(
        STUDENT
        + """
from tabiya import Bot, Choice, MoveInfo, NeedsEngine, Unreachable, load_game, run

class First(Bot):
    def choose(self, turn):
        return Choice(turn.legal_moves[0], info=MoveInfo(depth=1))

try:
    load_game("tictactoe")
except NeedsEngine as error:
    print(error)
run(First(), "127.0.0.1:1", seek="tictactoe")
""",
        tmp_path,
    )
    assert 'pip install "tabiya[engine]"' in done.stdout, done.stderr
    assert done.stderr == "tabiya: no server answers at 127.0.0.1:1 (Connection refused)\n"
    assert done.returncode == 1
