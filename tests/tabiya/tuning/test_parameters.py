"""Reading what is to be tuned: lines of fishtest and OpenBench, and what is refused in a sentence."""

from __future__ import annotations

import pytest

from tabiya.tuning.parameters import ParameterError, read_parameter, read_parameters
from tabiya.tuning.spsa import Parameter


@pytest.mark.parametrize(
    ("line", "parameter"),
    [
        ("razor,300,0,600,30,0.002", Parameter("razor", 300, 0, 600, 30, 0.002, whole=True)),  # fishtest
        ("Skill Level, int, 5, 0, 20, 1.0, 0.004", Parameter("Skill Level", 5, 0, 20, 1, 0.004, whole=True)),
        ("share, float, 1, 0, 2, 0.1, 0.002", Parameter("share", 1, 0, 2, 0.1, 0.002)),  # OpenBench
        ("share,1.0,0,2", Parameter("share", 1, 0, 2, 0.1, 0.06)),
        ("corner,-30,-600,600", Parameter("corner", -30, -600, 600, 60, 0.06, whole=True)),
        ("depth,2,1,4,1", Parameter("depth", 2, 1, 4, 1, 0.06, whole=True)),
        ("switch,0,0,1", Parameter("switch", 0, 0, 1, 0.5, 0.06, whole=True)),
    ],
)
def test_a_line_of_fishtest_or_openbench_is_a_parameter(line: str, parameter: Parameter) -> None:
    assert read_parameter(line, pairs=2_500) == parameter


def test_a_short_run_takes_longer_steps_up_to_a_bound() -> None:
    steps = [read_parameter("a,1,0,2", pairs).r_end for pairs in (1_000_000, 10_000, 400, 1)]
    assert steps == [0.003, 0.03, 0.15, 0.25]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "a",
            "a parameter is NAME,START,MIN,MAX and if wanted C_END,R_END behind, as in hash_bonus,300,0,600,30,0.002",
        ),
        (",1,0,2", "a parameter is NAME"),
        ("a,1,0", "a parameter is NAME"),
        ("a,1,0,2,1,1,1", "a parameter is NAME"),
        ("a,one,0,2", "a: 'one' is no number"),
        ("a,nan,0,2", "a: 'nan' is no number"),
        ("a,1,0,inf", "a: 'inf' is no number"),
        ("a,1,2,2", "a: MIN must be less than MAX, not 2 and 2"),
        ("a,3,0,2", "a: START must lie between MIN and MAX, 3 is not in 0 to 2"),
        ("a,int,1,0.5,2", "a: the bounds of a whole number are whole numbers, not 0.5 and 2"),
        ("a,1,0,10,0.4", "a: C_END is at least 0.5, or both sides would play the same number, and at most MAX - MIN"),
        ("a,1.0,0,10,0", "a: C_END is more than 0, and at most MAX - MIN, not 0"),
        ("a,1,0,10,11", "a: C_END is at least 0.5"),
        ("a,1,0,10,1,0", "a: R_END is more than 0, not 0"),
    ],
)
def test_what_cannot_be_tuned_is_one_sentence(line: str, sentence: str) -> None:
    with pytest.raises(ParameterError) as refused:
        read_parameter(line, pairs=2_000)
    assert str(refused.value).startswith(sentence)


def test_several_are_read_in_their_order_and_each_once() -> None:
    assert [one.name for one in read_parameters(["b,1,0,2", "", "a,1,0,2"], 10)] == ["b", "a"]
    with pytest.raises(ParameterError, match="the parameter B is given twice"):
        read_parameters(["B,1,0,2", "b,1,0,2"], 10)
    with pytest.raises(ParameterError, match="1 to 1000 parameters are tuned at a time, not 0"):
        read_parameters([], 10)
