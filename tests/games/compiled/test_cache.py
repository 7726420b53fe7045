from pathlib import Path

import pytest

from games import steps
from games.compiled import cache


def test_the_stamp_covers_every_source_that_kernels_can_call() -> None:
    covered = [path for folder in cache.KERNEL_FOLDERS for path in (cache.ROOT / folder).rglob("*.py")]
    assert Path(steps.__file__).resolve() in covered
    assert len(cache.stamp()) == 64


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
