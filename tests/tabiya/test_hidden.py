from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from tabiya.hidden import HOME, HiddenPackage, check_packages


def test_all_our_packages_are_ours() -> None:
    check_packages()


def test_a_missing_package_is_named() -> None:
    with pytest.raises(HiddenPackage, match="'no_such_package' is missing"):
        check_packages(["no_such_package"])


def test_a_package_from_another_place_is_named_with_that_place() -> None:
    with pytest.raises(HiddenPackage) as caught:
        check_packages(["json"])
    assert caught.value.path is not None
    assert Path(caught.value.path).name == "json"
    assert caught.value.name == "json"


def test_a_plain_module_is_named_with_its_file() -> None:
    with pytest.raises(HiddenPackage, match=r"this\.py hides Tabiya's own package 'this'"):
        check_packages(["this"])


def test_a_module_made_by_hand_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "handmade", types.ModuleType("handmade"))
    with pytest.raises(HiddenPackage, match="'handmade'"):
        check_packages(["handmade"])


def test_home_is_where_the_front_door_is() -> None:
    assert (HOME / "tabiya" / "__init__.py").exists()
