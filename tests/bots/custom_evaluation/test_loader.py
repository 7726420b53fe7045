"""What a file's module is called: its content and that of all it imports from beside it decide."""

from __future__ import annotations

import os
import py_compile
import sys
from pathlib import Path

import pytest

from tabiya.bots.custom_evaluation.loader import load, local_sources


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder / "mine.py"


def test_the_same_file_is_loaded_once_and_an_edited_one_anew(tmp_path: Path) -> None:
    file = write(tmp_path, mine="VALUE = 1")
    first = load(file)
    assert load(file) is first
    write(tmp_path, mine="VALUE = 2")
    assert load(file).VALUE == 2
    assert first.VALUE == 1


def test_an_edited_helper_beside_it_makes_it_another_module(tmp_path: Path) -> None:
    file = write(tmp_path, mine="import helpers_of_own\nVALUE = helpers_of_own.VALUE", helpers_of_own="VALUE = 1")
    assert load(file).VALUE == 1
    write(tmp_path, helpers_of_own="VALUE = 2")
    assert load(file).VALUE == 2


@pytest.mark.parametrize("helper", ["helpers_of_own", "package_of_own/helpers"])
def test_an_edit_that_the_clock_of_files_does_not_show_is_seen(
    tmp_path: Path, helper: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python takes a compiled file for current by the source's size and whole second."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "package_of_own").mkdir()
    (tmp_path / "package_of_own/__init__.py").touch()
    other = tmp_path / f"{helper}.py"
    file = write(tmp_path, mine=f"from {helper.replace('/', '.')} import VALUE")
    for value in (1, 2):
        other.write_text(f"VALUE = {value}")
        os.utime(other, (1_000_000_000, 1_000_000_000))
        if value == 1:
            py_compile.compile(str(other))
        found = load(file).VALUE
        assert found == value


def test_two_folders_with_helpers_of_one_name_keep_their_own(tmp_path: Path) -> None:
    text = "from helpers_of_own import VALUE"
    one = write(tmp_path / "one", mine=text, helpers_of_own="VALUE = 1")
    other = write(tmp_path / "other", mine=text, helpers_of_own="VALUE = 2")
    assert (load(one).VALUE, load(other).VALUE) == (1, 2)
    assert "helpers_of_own" not in sys.modules


def test_an_import_within_a_function_finds_the_files_beside_it_when_it_is_called(tmp_path: Path) -> None:
    imports = "    import helpers_of_own\n    from package_own.inner import VALUE\n"
    text = f"def value():\n{imports}    return helpers_of_own, VALUE"
    inner = "from .other import value\nVALUE = value()"
    other = "def value():\n    from . import last\n    return last.VALUE"
    found = []
    for number in (1, 2):
        file = write(tmp_path / str(number), mine=text, helpers_of_own=f"VALUE = {number}")
        write(file.parent / "package_own", __init__="", inner=inner, other=other, last=f"VALUE = {number}")
        found.append(load(file))
    for _ in range(2):
        assert [(helpers.VALUE, value) for helpers, value in (module.value() for module in found)] == [(1, 1), (2, 2)]
    assert found[0].value()[0] is found[0].value()[0]
    assert not {"helpers_of_own", "package_own", "package_own.inner"} & sys.modules.keys()


def test_helpers_of_helpers_and_packages_count_too(tmp_path: Path) -> None:
    file = write(tmp_path, mine="import one_own", one_own="import package_own.inner\nimport math")
    write(tmp_path / "package_own", __init__="", inner="VALUE = 1")
    assert {found.name for found in local_sources(file)} == {"mine.py", "one_own.py", "__init__.py", "inner.py"}


def test_files_named_like_our_folders_are_the_authors_own(tmp_path: Path) -> None:
    text = "import games, protocol\nfrom tabiya.games.registry import load_game\nfound = (games.VALUE, protocol.VALUE)"
    file = write(tmp_path, mine=text, games="VALUE = 1")
    write(tmp_path / "protocol", __init__="VALUE = 2")
    assert load(file).found == (1, 2)
    assert len(local_sources(file)) == 3


def test_no_file_beside_it_is_taken_for_tabiya_or_for_pythons_own(tmp_path: Path) -> None:
    text = "import random\nfrom tabiya.games import registry\nfound = random.random(), registry"
    file = write(tmp_path, mine=text, random="raise SystemExit", tabiya="raise SystemExit")
    assert load(file).found[1].__name__ == "tabiya.games.registry"
    assert local_sources(file).keys() == {file}


def test_a_folder_without_python_does_not_hide_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "chess", raising=False)
    (tmp_path / "chess").mkdir()
    assert load(write(tmp_path, mine="import chess\nboard = chess.Board()")).board.fullmove_number == 1


def test_a_file_that_fails_is_not_kept(tmp_path: Path) -> None:
    file = write(tmp_path, mine="1 / 0")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            load(file)
