import pickle

import pytest
from numba import typeof

from tabiya.games.compiled.kernel_types import compiled
from tests.games.compiled.contract import Numbered, ask
from tests.games.compiled.same_name import one, two


def test_two_classes_of_the_same_name_run_their_own_code() -> None:
    assert one.Twin.__name__ == two.Twin.__name__
    assert [ask(one.Twin(), 10), ask(two.Twin(), 10), ask(one.Twin(), 20)] == [11, 12, 21]
    assert typeof(one.Twin()) != typeof(two.Twin())


def test_a_method_that_is_not_overridden_is_inherited() -> None:
    class Child(one.Twin):
        """Adds nothing."""

    assert ask(Child(), 1) == 2


def test_the_type_of_a_kernel_travels_by_its_name() -> None:
    kernel_type = typeof(one.Twin())
    assert pickle.loads(pickle.dumps(kernel_type)) == kernel_type
    assert str(kernel_type) == "Kernel(tests.games.compiled.same_name.one.Twin)"


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
