import inspect
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import llvmlite
import numba
import pytest

from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games import steps
from tabiya.games.compiled import cache, kernel_types
from tabiya.games.registry import load_game, names
from tests.source_rules.sources import PACKAGES, ROOT, python_files


def test_the_stamp_covers_every_source_that_kernels_can_call() -> None:
    covered = [path for folder in cache.KERNEL_FOLDERS for path in (cache.ROOT / folder).rglob("*.py")]
    assert Path(steps.__file__).resolve() in covered
    assert len(cache.stamp()) == 64


@pytest.mark.parametrize("which", [0, 1, 2])
def test_another_version_of_numba_llvm_or_python_is_another_stamp(monkeypatch: pytest.MonkeyPatch, which: int) -> None:
    versions = list(cache.compilers())
    assert versions == [numba.__version__, llvmlite.__version__, sys.version]
    versions[which] += ".1"
    monkeypatch.setattr(cache, "compilers", lambda: tuple(versions))
    assert cache.stamp.__wrapped__() != cache.stamp()


def test_every_compiled_function_and_kernel_class_lies_in_a_folder_that_the_stamp_covers() -> None:
    """One elsewhere would be kept by Numba's own stamp: after an edit of what it calls, old machine code would run."""
    assert [folder for folder in cache.KERNEL_FOLDERS if not (cache.ROOT / folder).is_dir()] == []
    compiled = [
        file for file in python_files(*PACKAGES) if re.search(r"(?m)^@njit|\(Kernel\)", (ROOT / file).read_text())
    ]
    assert len(compiled) > 30
    for name in names():
        evaluator_for(load_game(name))
    classes: list[str] = [inspect.getfile(kernel) for kernel in kernel_types._CLASSES.values() if is_of_tabiya(kernel)]
    assert len(classes) > 10
    assert [file for file in (*map(str, compiled), *classes) if not cache.is_ours(str(ROOT / file))] == []


def is_of_tabiya(kernel: type) -> bool:
    return kernel.__module__.startswith("tabiya.")


def test_every_kernel_is_decorated_by_our_jit_and_so_never_before_the_locators_are_installed() -> None:
    sources = [path for folder in cache.KERNEL_FOLDERS for path in (cache.ROOT / folder).rglob("*.py")]
    ours = cache.ROOT / "games" / "compiled"
    assert [
        str(path) for path in sources if ours not in path.parents and re.search(r"numba.*\bnjit\b", path.read_text())
    ] == []


def test_functions_of_others_are_declined() -> None:
    assert cache.is_ours(steps.__file__)
    assert not cache.is_ours(__file__)
    assert not cache.is_ours("<string>")
    for locator in (cache.Provided, cache.InTree, cache.UserWide, cache.Temporary):
        assert locator.from_function(covered_by_none, __file__) is None


def covered_by_none() -> None:
    """A function outside the rules."""


def test_the_last_resort_is_a_private_folder_and_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache._temporary_folder.cache_clear()
    with pytest.warns(RuntimeWarning, match="no folder for compiled kernels can be written"):
        locator = cache.Temporary.from_function(steps.survey.py_func, steps.__file__)
    assert Path(locator.get_cache_path()).is_relative_to(tmp_path)
    assert locator.get_source_stamp() == cache.stamp()
    assert next(tmp_path.iterdir()).stat().st_mode & 0o077 == 0
    cache._temporary_folder.cache_clear()


def cache_file(folder: Path, source: str = "source") -> cache.CacheFile:
    """As a process opens it for a function."""
    return cache.CacheFile(str(folder), "steps.perft-1.py311", source)


def test_the_cache_file_is_the_one_that_numba_uses() -> None:
    assert isinstance(steps.perft._cache._cache_file, cache.CacheFile)


def test_games_compiled_at_once_each_find_their_own_code_afterwards(tmp_path: Path) -> None:
    games = [f"game {number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda game: cache_file(tmp_path).save(("signature", game), f"code of {game}"), games))
    found = cache_file(tmp_path)
    assert [found.load(("signature", game)) for game in games] == [f"code of {game}" for game in games]


def test_a_process_killed_before_the_index_is_written_leaves_no_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: cache.CacheFile, overloads: object) -> None:
        raise SystemExit

    cache_file(tmp_path, "old").save("chess", "old code")
    with monkeypatch.context() as patched:
        patched.setattr(cache.CacheFile, "_save_index", killed)
        with pytest.raises(SystemExit):
            cache_file(tmp_path, "new").save("chess", "new code")
    assert cache_file(tmp_path, "new").load("chess") is None
    cache_file(tmp_path, "new").save("chess", "new code")
    assert cache_file(tmp_path, "new").load("chess") == "new code"


def test_code_of_older_sources_does_not_pile_up(tmp_path: Path) -> None:
    for source in ("old", "new"):
        for game in ("chess", "nim"):
            cache_file(tmp_path, source).save(game, f"{source} code of {game}")
    assert len(list(tmp_path.glob("*.nbc"))) == 2
    assert cache_file(tmp_path, "old").load("chess") is None
    assert cache_file(tmp_path, "new").load("chess") == "new code of chess"


class Gone:
    """A type that a later version does not have."""


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_what_was_cut_short_or_is_of_another_version_is_compiled_anew(suffix: str, tmp_path: Path) -> None:
    for damage in (lambda data: b"", lambda data: data[:-9], lambda data: data.replace(b"Gone", b"Lost")):
        cache_file(tmp_path).save(("nim", Gone), (Gone, "code"))
        assert cache_file(tmp_path).load(("nim", Gone)) == (Gone, "code")
        for path in tmp_path.glob(f"*.{suffix}"):
            path.write_bytes(damage(path.read_bytes()))
        assert cache_file(tmp_path).load(("nim", Gone)) is None
        cache_file(tmp_path).save(("nim", Gone), (Gone, "new code"))
        assert cache_file(tmp_path).load(("nim", Gone)) == (Gone, "new code")


def test_where_there_are_no_locks_the_cache_works_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(descriptor: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("tabiya.games.compiled.lock._hold", no_locks)
    cache_file(tmp_path).save("chess", "code")
    assert cache_file(tmp_path).load("chess") == "code"


def test_a_read_only_process_compiles_what_is_not_cached_and_caches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program in a sandbox on a machine where nobody has compiled before: it is slow to start, and it starts."""
    monkeypatch.setenv(cache.READ_ONLY, "1")
    monkeypatch.setattr(cache, "_temporary_folder", lambda: str(tmp_path))
    locator = cache.Temporary.from_function(cache.is_ours, cache.__file__)
    assert locator is not None
    assert list(tmp_path.iterdir()) == []
