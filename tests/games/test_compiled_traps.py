"""The known traps of compiling and caching the rules, each tried in processes with a cache of their own.

These are the ways in which compiled rules can silently be wrong ones, or fail to start at all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import games
from games.compiled import bits
from games.reversi import discs

ROOT = Path(games.__file__).parents[1]
pytestmark = pytest.mark.slow


def run(arguments: list[str], cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """A Python process in `cwd`; its output, or an error with what it wrote on stderr."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    finished = subprocess.run(
        [sys.executable, "-B", *arguments],
        cwd=cwd,
        env=kept | {"PYTHONPATH": str(cwd)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, f"exit {finished.returncode}: {finished.stderr[-2000:]}"
    return finished


COLD = """if True:
    import sys
    from collections import Counter
    from games import steps
    from games.registry import load_game, names
    from games.warm import warm
    from tests.games.print_games import main
    for name in names():
        warm(load_game(name))
    main(30, list(names()))
    for dispatcher in (steps.perft, steps.survey, steps.step, steps.wins_at_once):
        assert not any(".numba.unresolved$" in text for text in dispatcher.inspect_asm().values()), dispatcher
        kernels = Counter(str(signature[0]) for signature in dispatcher.signatures)
        assert set(kernels.values()) == {1}, (dispatcher, kernels)
    assert len(steps.perft.signatures) == len({type(load_game(name)) for name in names()})
"""


@pytest.mark.timeout(400)
def test_the_second_process_runs_the_first_ones_machine_code_and_plays_the_same(tmp_path: Path) -> None:
    """A recursion compiled twice calls itself by a symbol that the cached copy lacks: it crashes (numba #6061)."""
    cold = run(["-c", COLD], NUMBA_CACHE_DIR=str(tmp_path))
    warm = run(["-m", "tests.games.print_games", "30"], NUMBA_CACHE_DIR=str(tmp_path))
    assert cold.stdout == warm.stdout
    # nothing compiles while a clock runs: not after warming in the same process, and not in the next one
    assert warm.stdout.endswith("\ncompiled 0\n")


@pytest.mark.timeout(400)
def test_no_kernel_reaches_outside_its_arrays(tmp_path: Path) -> None:
    """Compiled code reads and writes beyond an array without a word; with these checks it raises IndexError."""
    checked = run(["-m", "tests.games.print_games", "150"], NUMBA_CACHE_DIR=str(tmp_path), NUMBA_BOUNDSCHECK="1")
    unchecked = run(["-m", "tests.games.print_games", "150"], NUMBA_CACHE_DIR=os.environ.get("NUMBA_CACHE_DIR", ""))
    assert checked.stdout.splitlines()[:-1] == unchecked.stdout.splitlines()[:-1]


def test_the_bounds_checks_do_check(tmp_path: Path) -> None:
    program = """if True:
        import numpy as np
        from games import steps
        from games.registry import load_game
        game = load_game("nim")
        state = game.start_state(game.read_options())
        state.count = 27
        try:
            steps.can_win(game, state, np.int64(0))
        except IndexError:
            print("refused")
    """
    assert run(["-c", program], NUMBA_CACHE_DIR=str(tmp_path), NUMBA_BOUNDSCHECK="1").stdout == "refused\n"


def test_interpreted_the_rules_play_the_same_games() -> None:
    interpreted = run(["-m", "tests.games.print_games", "40"], NUMBA_DISABLE_JIT="1")
    compiled = run(["-m", "tests.games.print_games", "40"], NUMBA_CACHE_DIR=os.environ.get("NUMBA_CACHE_DIR", ""))
    assert interpreted.stdout.splitlines()[:-1] == compiled.stdout.splitlines()[:-1]


NIM = """if True:
    from numba.core import event
    from games.registry import load_game
    with event.install_recorder("numba:compile") as recorder:
        print(load_game("nim").parse("0 normal 1").outcome().winner, bool(recorder.buffer))
"""


@pytest.fixture
def copy_of_the_rules(tmp_path: Path) -> Path:
    """A folder with the packages the rules need, to be edited and made unwritable."""
    shutil.copytree(ROOT / "games", tmp_path / "copy" / "games", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "copy"


def test_an_edit_of_a_function_that_a_kernel_calls_is_seen(copy_of_the_rules: Path, tmp_path: Path) -> None:
    """By itself the compiler stamps a cached function with its own file and runs yesterday's rules."""
    cache = str(tmp_path / "cache")
    assert run(["-c", NIM], copy_of_the_rules, NUMBA_CACHE_DIR=cache).stdout == "1 True\n"
    assert run(["-c", NIM], copy_of_the_rules, NUMBA_CACHE_DIR=cache).stdout == "1 False\n"
    rules = copy_of_the_rules / "games" / "nim" / "rules.py"
    before = rules.read_text(encoding="utf-8")
    after = before.replace("np.int64(state.side ^ 1 ^ state.misere)", "np.int64(state.side ^ state.misere)")
    assert after != before
    rules.write_text(after, encoding="utf-8")
    assert run(["-c", NIM], copy_of_the_rules, NUMBA_CACHE_DIR=cache).stdout == "0 True\n"


POWERLESS = """if True:
    import ctypes, os, sys
    if sys.platform == "linux" and os.geteuid() == 0:  # root may write anywhere: give that up (CAP_DAC_OVERRIDE)
        assert ctypes.CDLL(None).prctl(24, 1, 0, 0, 0) == 0
    os.execv(sys.executable, [sys.executable, "-B", *sys.argv[1:]])
"""


def test_without_a_writable_cache_the_rules_run_and_warn_once(copy_of_the_rules: Path, tmp_path: Path) -> None:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir(0o555)
    temporary.mkdir()
    folders = [folder for folder in copy_of_the_rules.rglob("*") if folder.is_dir()] + [copy_of_the_rules]
    for folder in folders:
        folder.chmod(0o555)
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "TMPDIR": str(temporary)}
    finished = run(["-c", POWERLESS, "-W", "always", "-c", NIM], copy_of_the_rules, **places)
    assert finished.stdout == "1 True\n"
    assert finished.stderr.count("no folder for compiled kernels can be written") == 1
    assert list(temporary.iterdir()) == []
    for folder in folders:
        folder.chmod(0o755)


SETS = [
    (bits.bit, [np.int64(5)]),
    (bits.mix, [bits.ONE]),
    (discs.run_up, [bits.ONE, bits.ONE, bits.ONE]),
    (discs.run_down, [bits.ONE, bits.ONE, bits.ONE]),
    (discs.ends, [bits.ONE, bits.ONE, bits.ONE]),
    (discs.playable, [bits.ONE, bits.ONE]),
    (discs.turned_along, [bits.ONE, bits.ONE, bits.ONE, bits.ONE]),
    (discs.turned, [bits.ONE, bits.ONE, bits.ONE]),
]


@pytest.mark.parametrize(("function", "arguments"), SETS, ids=lambda value: getattr(value, "__name__", ""))
def test_functions_of_sets_return_unsigned_words(function: object, arguments: list[object]) -> None:
    """A signed or plain constant among unsigned words silently makes them signed, or floating point."""
    function(*arguments)  # type: ignore[operator]
    returned = {str(signature.return_type) for signature in function.nopython_signatures}  # type: ignore[attr-defined]
    assert returned == {"uint64"}
