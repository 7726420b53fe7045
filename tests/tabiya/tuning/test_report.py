"""The course of a run as a table, in sentences and as a picture."""

from __future__ import annotations

import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tabiya.server.ratings.pairs import Pairs
from tabiya.tuning.drawing import MOST_POINTS, values_picture
from tabiya.tuning.report import parameter_rows, progress_line, run_values, sentences
from tabiya.tuning.spsa import Gains, Parameter
from tabiya.tuning.state import TuningState
from tabiya.tuning.terms import Terms

TERMS = Terms(
    player="uci:./my engine",
    game="chess",
    parameters=(Parameter("A", 10, 0, 40, 2, 0.1, whole=True), Parameter("<share>", 0.5, 0, 1, 0.05, 0.1)),
    gains=Gains(1_000),
    pairs=2,
    time_control="2+0.02",
    seed=3,
)


def state_after(path: Path, iterations: int) -> TuningState:
    """A run whose first value has risen by a hundredth in each iteration, and whose second stayed."""
    state = TuningState(path / "run", TERMS)
    for number in range(iterations):
        state.add((10 + (number + 1) / 100, 0.5), Pairs((0, 0, 1, 1, 0)))
    return state


def test_the_table_has_the_course_by_its_quarters_and_the_value_to_use(tmp_path: Path) -> None:
    with state_after(tmp_path, 400) as state:
        first, second = parameter_rows(state)
    assert [first[name] for name in ("start", "quarter", "half", "three_quarters", "value", "tuned")] == [
        *(10, 11, 12, 13, 14, 14)
    ]
    assert (first["min"], first["max"], first["c_end"]) == (0, 40, 2)
    assert second["tuned"] == 0.5
    assert progress_line(state) == "A 14, <share> 0.5"


def test_the_last_line_is_the_command_that_verifies_it(tmp_path: Path) -> None:
    with state_after(tmp_path, 400) as state:
        lines, values = sentences(state, ["--openings", "book"]), run_values(state, ["--openings", "book"])
    assert lines[:2] == ["400 of 1000 iterations, 1600 games, seed 3", "the same command goes on with it"]
    words = shlex.split(lines[2].removeprefix("verify: "))
    assert words[:4] == ["tabiya", "match", "uci:./my engine?A=14&<share>=0.5", "uci:./my engine?A=10&<share>=0.5"]
    assert words[-2:] == ["--openings", "book"]
    assert values["verify"] == lines[2].removeprefix("verify: ")
    assert (values["games"], values["pairs"]) == (1600, [0, 0, 400, 400, 0])


def test_what_has_not_changed_needs_no_match(tmp_path: Path) -> None:
    with state_after(tmp_path, 0) as state:
        assert sentences(state)[-1] == "the values to be played have not changed"
        assert parameter_rows(state)[0]["value"] == 10
        assert run_values(state)["verify"] == ""


@pytest.mark.parametrize("iterations", [0, 1, 500, 1_000])
def test_the_picture_is_a_document_with_a_line_for_each_parameter_within_its_field(
    tmp_path: Path, iterations: int
) -> None:
    with state_after(tmp_path, iterations) as state:
        picture = ElementTree.fromstring(values_picture(state))
    svg = "{http://www.w3.org/2000/svg}"
    lines, fields = picture.findall(f"{svg}polyline"), picture.findall(f"{svg}rect")[1:]
    assert "<share>" in [text.text for text in picture.findall(f"{svg}text")]
    assert len(lines) == len(fields) == 2
    for line, field in zip(lines, fields, strict=True):
        points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        left, top, width, height = (float(field.attrib[name]) for name in ("x", "y", "width", "height"))
        assert len(points) <= 2 * MOST_POINTS + 1
        assert all(left <= x <= left + width and top <= y <= top + height for x, y in points)
        assert points[0][0] == left
        assert points[-1][0] == pytest.approx(left + width * iterations / 1_000, abs=0.01)
    heights = [float(point.split(",")[1]) for point in lines[0].attrib["points"].split()]
    assert heights == sorted(heights, reverse=True)  # up, as its value
