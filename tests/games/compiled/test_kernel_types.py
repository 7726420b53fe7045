import importlib
import pickle
from pathlib import Path
from typing import Any

import pytest
from numba import njit, typeof

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


def test_the_type_of_a_package_is_another_one_when_its_sources_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_game").mkdir()
    (tmp_path / "own_game" / "__init__.py").write_text("")
    (rules := tmp_path / "own_game" / "rules.py").write_text("STONES = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("own_game")
    digests = [sources_digest("own_game")]
    rules.write_text("STONES = 4\n")
    sources_digest.cache_clear()
    digests.append(sources_digest("own_game"))
    assert len(set(digests)) == 2
    assert twin("own_game", 1).kernel_name() == f"own_game.Twin {digests[1]}"


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
