import importlib
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numba import njit, typeof
from numba.core import config

from tabiya.games.compiled import cache, jit
from tabiya.games.compiled.kernel_types import Kernel, compiled, sources_digest


class Numbered(Kernel):
    """A contract of one method."""

    @compiled
    def number(self, extra: Any) -> Any:
        """This kernel's number and `extra`."""
        raise NotImplementedError


@njit  # type: ignore[untyped-decorator]
def ask(kernel: Any, extra: Any) -> Any:
    """The number of any kernel."""
    return kernel.number(extra)


def twin(module: str, of_its_own: int) -> Any:
    """A class Twin as a module of that name would have it."""

    def number(self, extra: Any) -> Any:  # type: ignore[no-untyped-def]
        return of_its_own + extra

    return type("Twin", (Numbered,), {"__module__": module, "__qualname__": "Twin", "number": number})


ONE, TWO = twin("tests.one", 1), twin("tests.two", 2)


def test_two_classes_of_the_same_name_run_their_own_code() -> None:
    assert [ask(ONE(), 10), ask(TWO(), 10), ask(ONE(), 20)] == [11, 12, 21]
    assert typeof(ONE()) != typeof(TWO())


def test_a_method_that_is_not_overridden_is_inherited() -> None:
    assert ask(type("Child", (ONE,), {})(), 1) == 2


def test_the_type_of_a_kernel_travels_by_its_name() -> None:
    kernel_type = typeof(ONE())
    assert pickle.loads(pickle.dumps(kernel_type)) == kernel_type
    assert str(kernel_type).startswith("Kernel(tests.one.Twin ")


@pytest.mark.parametrize(
    ("package", "files"),
    [
        ("own_game", ("own_game/__init__.py", "own_game/rules.py")),
        ("game_without_init", ("game_without_init/game.py", "game_without_init/rules.py")),
        ("game_of_files", ("game_of_files.py", "rules.py")),  # the one imports the other
    ],
)
def test_the_type_of_a_package_is_another_one_when_its_sources_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, files: tuple[str, str]
) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("STONES = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(package)
    digests = [sources_digest(package)]
    (tmp_path / files[1]).write_text("STONES = 4\n")
    sources_digest.cache_clear()
    digests.append(sources_digest(package))
    assert len({"", *digests}) == 3
    assert twin(package, 1).kernel_name() == f"{package}.Twin {digests[1]}"


def asked(kernel: Any, extra: Any) -> Any:
    """As `ask`, not yet compiled."""
    return kernel.number(extra)


def test_code_of_a_class_that_was_typed_in_is_not_kept_and_each_such_class_runs_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "KERNEL_FOLDERS", (*cache.KERNEL_FOLDERS, "tests/games/compiled"))
    kept = jit.njit(cache=True)(asked)
    assert [kept(twin("typed_in", number)(), 10) for number in (1, 2)] == [11, 12]
    assert list(tmp_path.rglob("*.nbc")) == []
    assert kept(ONE(), 10) == 11
    assert len(list(tmp_path.rglob("*.nbc"))) == 1


def test_what_lies_outside_the_folders_that_are_watched_is_refused_or_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept, it would go on running after an edit of what it calls."""
    assert jit.njit(cache=True)(asked).stats.cache_path is None
    module = ModuleType("tabiya.outside")
    module.__file__ = str(cache.ROOT / "server" / "outside.py")
    monkeypatch.setitem(sys.modules, "tabiya.outside", module)
    with pytest.raises(TypeError, match=r"tabiya\.outside\.Twin is compiled, and .*outside\.py is in none of KERNEL"):
        twin("tabiya.outside", 1)


def test_a_method_with_other_parameters_than_the_contract_is_refused_in_words() -> None:
    with pytest.raises(
        TypeError,
        match=r"Wrong.number has parameters \['self', 'more'\]; the contract declares \['self', 'extra'\]",
    ):
        type("Wrong", (Numbered,), {"number": lambda self, more: more})


def test_two_contracts_cannot_declare_a_method_differently() -> None:
    def number(self: object) -> int:
        return 0

    with pytest.raises(TypeError, match="two contracts declare number with different parameters"):
        compiled(number)
