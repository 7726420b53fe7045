"""The known traps of compiling and caching the rules, each tried in processes with a cache of their own.

These are the ways in which compiled rules can silently be wrong ones, or fail to start at all.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import typeof

from tabiya.games import steps
from tabiya.games.compiled import bits
from tabiya.games.registry import load_game, names
from tabiya.games.reversi import discs
from tests.games import print_games
from tests.kernels import return_type
from tests.processes import ROOT, ended, python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]  # they compile, on a machine with much else to do

COLD = """if True:
    from tabiya.games import steps
    from tabiya.games.registry import load_game
    from tabiya.games.warm import warm
    from tests.games.print_games import main
    warm(load_game("nim"))
    main(30, ["nim"])
    for dispatcher in (steps.perft, steps.survey, steps.step, steps.wins_at_once):
        assert not any(".numba.unresolved$" in text for text in dispatcher.inspect_asm().values()), dispatcher
        assert len(dispatcher.signatures) == 1, dispatcher.signatures
"""


def test_each_recursion_has_one_signature_and_leaves_no_symbol_open(tmp_path: Path) -> None:
    """A recursion compiled twice calls itself by a symbol that the cached copy lacks: it crashes (numba #6061)."""
    cold = python("-c", COLD, NUMBA_CACHE_DIR=str(tmp_path))
    warm = python("-m", "tests.games.print_games", "30", "nim", NUMBA_CACHE_DIR=str(tmp_path))
    assert cold == warm
    assert warm.endswith("\ncompiled 0\n")  # not after warming in the same process, and not in the next one


def test_interpreted_and_from_the_cache_the_rules_play_the_same_games() -> None:
    """Nothing compiles while a clock runs: what one process has warmed the next one only loads.

    And the kernels are plain Python: interpreted they say the same of every position, and what reaches outside an
    array is an error there.
    """
    print_games.main(150, list(names()))
    for dispatcher in (steps.perft, steps.survey, steps.step, steps.wins_at_once):
        kept = Counter(str(signature[0]) for signature, *_ in dispatcher._cache._cache_file._load_index())
        assert [kept[str(typeof(load_game(name)))] for name in names()] == [1] * len(names()), (dispatcher, kept)
    cached = python("-m", "tests.games.print_games", "150")
    assert cached.endswith("\ncompiled 0\n")
    assert python("-m", "tests.games.print_games", "150", NUMBA_DISABLE_JIT="1") == cached


def test_the_bounds_checks_do_check(tmp_path: Path) -> None:
    program = """if True:
        import numpy as np
        from tabiya.games import steps
        from tabiya.games.registry import load_game
        game = load_game("nim")
        state = game.start_state(game.read_options())
        state.count = 27
        try:
            steps.can_win(game, state, np.int64(0))
        except IndexError:
            print("refused")
    """
    assert python("-c", program, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_BOUNDSCHECK="1") == "refused\n"


NIM = """if True:
    from numba.core import event
    from tabiya.games.registry import load_game
    with event.install_recorder("numba:compile") as recorder:
        print(load_game("nim").parse("0 normal 1").outcome().winner, bool(recorder.buffer))
"""


@pytest.fixture
def copy_of_the_rules(tmp_path: Path) -> Path:
    """A folder with the packages the rules need, to be edited and made unwritable."""
    package = tmp_path / "copy" / "tabiya"
    shutil.copytree(ROOT / "games", package / "games", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tabiya" / "__init__.py", package)
    return tmp_path / "copy"


def test_an_edit_of_a_function_that_a_kernel_calls_is_seen(copy_of_the_rules: Path, tmp_path: Path) -> None:
    """By itself the compiler stamps a cached function with its own file and runs yesterday's rules."""
    cache = str(tmp_path / "cache")
    assert python("-c", NIM, cwd=copy_of_the_rules, NUMBA_CACHE_DIR=cache) == "1 True\n"
    assert python("-c", NIM, cwd=copy_of_the_rules, NUMBA_CACHE_DIR=cache) == "1 False\n"
    rules = copy_of_the_rules / "tabiya" / "games" / "nim" / "rules.py"
    before = rules.read_text(encoding="utf-8")
    after = before.replace("np.int64(state.side ^ 1 ^ state.misere)", "np.int64(state.side ^ state.misere)")
    assert after != before
    rules.write_text(after, encoding="utf-8")
    assert python("-c", NIM, cwd=copy_of_the_rules, NUMBA_CACHE_DIR=cache) == "0 True\n"


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
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "TMPDIR": str(temporary), "NUMBA_CACHE_DIR": ""}
    finished = ended("-c", POWERLESS, "-W", "always", "-c", NIM, cwd=copy_of_the_rules, **places)
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
    (discs.playable, [bits.ONE, bits.ONE]),
    (discs.turned_along, [bits.ONE, bits.ONE, bits.ONE, bits.ONE]),
    (discs.turned, [bits.ONE, bits.ONE, bits.ONE]),
]


@pytest.mark.parametrize(("function", "arguments"), SETS, ids=lambda value: getattr(value, "__name__", ""))
def test_functions_of_sets_return_unsigned_words(function: Any, arguments: list[Any]) -> None:
    """A signed or plain constant among unsigned words silently makes them signed, or floating point."""
    assert return_type(function, *arguments) == "uint64"
