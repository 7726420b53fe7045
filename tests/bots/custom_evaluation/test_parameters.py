"""What an author's class declares, and what may be given in its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tabiya.bots.custom_evaluation.parameters import ParameterError, Parameters, can_be_parameter
from tabiya.bots.players.spec import PlayerError, PlayerKind, parse_player

DECLARED = {"corner": 300, "share": 0.5, "rings": [1, 2, 3], "table": ((1.5, 2), (3, 4)), "mask": np.uint64(2**63)}
PARAMETERS = Parameters("Mine", DECLARED)


def given(values: dict[str, Any]) -> dict[str, Any]:
    record = PARAMETERS.record()
    PARAMETERS.write(record, values)
    return PARAMETERS.values(record)


def test_without_any_values_the_defaults_come_back_as_they_were_declared() -> None:
    found = given({})
    assert found == {**DECLARED, "table": ([1.5, 2], [3, 4])}
    assert [type(found[name]) for name in DECLARED] == [int, float, list, tuple, np.uint64]


def test_what_is_given_is_there_and_all_else_stays() -> None:
    found = given({"corner": -5, "share": 2, "rings": (7, 8, 9.0), "mask": 5})
    assert (found["corner"], found["share"], found["rings"], found["mask"]) == (-5, 2.0, [7, 8, 9], 5)
    assert given({"corner": np.float64(7.0), "table": [[1, 1], [1, 1]]})["share"] == 0.5


def test_one_number_of_a_list_is_read_alone_beside_what_stands_before_it() -> None:
    read = PARAMETERS.read([("rings[1]", "20"), ("table[3]", "-0.5"), ("rings[2]", "30")])
    assert {name: value.tolist() for name, value in read.items()} == {
        "rings": [1, 20, 30],
        "table": [[1.5, 2], [3, -0.5]],
    }
    assert PARAMETERS.read([("rings", "7,8,9"), ("rings[0]", "1")])["rings"].tolist() == [1, 8, 9]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("rings[3]", "1", "rings of Mine takes 3 whole numbers, not '1' at 3"),
        ("rings[0]", "many", "rings of Mine takes 3 whole numbers, not 'many' at 0"),
        ("rings[0]", "0.5", "rings of Mine takes 3 whole numbers, not [0.5, 2, 3]"),
        ("rigns[0]", "1", "Mine has no parameter 'rigns'"),
    ],
)
def test_one_number_that_does_not_fit_is_one_sentence(name: str, text: str, why: str) -> None:
    with pytest.raises(ParameterError) as refused:
        PARAMETERS.read([(name, text)])
    assert why in str(refused.value)


def test_values_go_through_json_and_come_back_as_they_were() -> None:
    declared = {**DECLARED, "flag": True, "weights": np.array([0.1, 2]), "sets": [np.uint64(1), np.uint64(2**63 + 1)]}
    parameters = Parameters("Mine", declared)
    record = parameters.record()
    plain = parameters.plain(record)
    found = json.loads(json.dumps(plain))
    assert found == plain
    assert found["mask"] == 2**63
    assert found["sets"] == [1, 2**63 + 1]
    assert found["weights"] == [0.1, 2.0]
    assert found["flag"] is True
    other = parameters.record()
    parameters.write(other, dict.fromkeys(("flag", "corner", "mask"), 0) | {"sets": [0, 0], "weights": [0, 0]})
    parameters.write(other, found)
    assert other.tobytes() == record.tobytes()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"cornr": 1}, "Mine has no parameter 'cornr' (it has corner, share, rings, table, mask)"),
        ({"corner": 0.5}, "corner of Mine takes a whole number, not 0.5"),
        ({"corner": "many"}, "corner of Mine takes a whole number, not 'many'"),
        ({"corner": 2**63}, "corner of Mine takes a whole number, not 9223372036854775808"),
        ({"corner": 2**70}, "corner of Mine takes a whole number, not 1180591620717411303424"),
        ({"corner": [1]}, "corner of Mine takes a whole number, not [1]"),
        ({"corner": None}, "corner of Mine takes a whole number, not None"),
        ({"share": float("nan")}, "share of Mine takes a number, not nan"),
        ({"share": 1j}, "share of Mine takes a number, not 1j"),
        ({"rings": [1, 2, 3, 4]}, "rings of Mine takes 3 whole numbers, not 4 numbers"),
        ({"rings": [1, 2, 3.5]}, "rings of Mine takes 3 whole numbers, not [1, 2, 3.5]"),
        ({"rings": [1, [2], 3]}, "rings of Mine takes 3 whole numbers, not [1, [2], 3]"),
        ({"table": [1, 2, 3, 4]}, "table of Mine takes 2 x 2 numbers, not 4 numbers"),
        ({"mask": -1}, "mask of Mine takes a whole number, not -1"),
    ],
)
def test_a_wrong_name_kind_or_length_is_one_sentence_and_changes_nothing(values: dict[str, Any], why: str) -> None:
    record = PARAMETERS.record()
    with pytest.raises(ParameterError) as error:
        PARAMETERS.write(record, {"share": 9, **values} if "share" not in values else values)
    assert str(error.value) == why
    assert PARAMETERS.values(record) == given({})


def test_a_class_without_any_says_so() -> None:
    with pytest.raises(ParameterError, match=r"^Bare has no parameter 'corner' \(it has none\)$"):
        Parameters("Bare", {}).check({"corner": 1})


@pytest.mark.parametrize("value", ["300", None, {}, [], [[1], [1, 2]], [1, "x"], 2**70, float("inf"), 1j, int, len])
def test_what_is_no_number_is_no_parameter(value: object) -> None:
    assert not can_be_parameter(value)


@pytest.mark.parametrize("value", [0, 1.5, True, np.uint64(3), [1, 2.5], (1,), np.zeros((2, 3)), [[1, 2], [3, 4]]])
def test_numbers_and_lists_of_numbers_are(value: object) -> None:
    assert can_be_parameter(value)


def test_texts_of_the_player_grammar_are_read(tmp_path: Path) -> None:
    file = tmp_path / "best.json"
    file.write_text(json.dumps({"corner": 7, "rings": [4, 5, 6]}))
    options = parse_player(f"my.py:Mine:6?{file}&corner=-9&table=1,2,3,4.5&share=1e1").options
    found = given(PARAMETERS.read(options))
    assert (found["corner"], found["rings"], found["table"], found["share"]) == (-9, [4, 5, 6], ([1, 2], [3, 4.5]), 10)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("corner=many", "corner of Mine takes a whole number, not 'many'"),
        ("corner=1,2", r"corner of Mine takes a whole number, not \[1, 2\]"),
        ("rings=5", r"rings of Mine takes 3 whole numbers, not \[5\]"),
        ("share=inf", "share of Mine takes a number, not inf"),
        ("cornr=1", "Mine has no parameter 'cornr'"),
        ("nowhere.json", "the file of parameters 'nowhere.json' cannot be read: No such file"),
    ],
)
def test_texts_that_do_not_fit_are_one_sentence(text: str, why: str) -> None:
    with pytest.raises(PlayerError, match=why):
        PARAMETERS.read(parse_player(f"my.py:Mine?{text}").options)


@pytest.mark.parametrize(
    ("content", "why"),
    [("[1]", "has no names"), ("{", "is not JSON"), ("[" * 100_000, "is not JSON"), ('{"x": 1}', "no parameter 'x'")],
)
def test_a_file_that_does_not_fit_is_one_sentence(content: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "some.json").write_text(content)
    with pytest.raises(PlayerError, match=why):
        PARAMETERS.read([("", str(tmp_path / "some.json"))])


def test_a_player_with_parameters_is_a_file_with_limits_and_options() -> None:
    spec = parse_player("some/my.py:Mine:6@0.5s?corner=9&best.json")
    assert (spec.kind, spec.path, spec.name, spec.depth, spec.time_s) == (PlayerKind.FILE, "some/my.py", "Mine", 6, 0.5)
    assert spec.options == (("corner", "9"), ("", "best.json"))
    assert parse_player("my.py:Mine?").options == ()
    for text in ("my.py:Mine?corner", "my.py:Mine?=4", "my.py:Mine?a=1&", "my.py:Mine?best.txt"):
        with pytest.raises(PlayerError, match="written NAME=NUMBER&NAME=NUMBER"):
            parse_player(text)
