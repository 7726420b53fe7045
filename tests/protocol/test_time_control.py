"""Time controls: texts in, texts out, and one clear sentence for what is neither."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabiya.protocol import time_control
from tabiya.protocol.time_control import (
    ControlKind,
    TimeControl,
    TimeControlError,
    by_seat_text,
    parse,
    parse_by_seat,
)

MEANINGS = {
    "60+0.5": TimeControl(ControlKind.FISCHER, 60_000, 500),
    "60+0": TimeControl(ControlKind.FISCHER, 60_000),
    "0.2+0.002": TimeControl(ControlKind.FISCHER, 200, 2),
    "40/60": TimeControl(ControlKind.PERIODS, 60_000, 0, 40),
    "40/60+0.5": TimeControl(ControlKind.PERIODS, 60_000, 500, 40),
    "2/move": TimeControl(ControlKind.PER_MOVE, 2_000),
    "0.05/move": TimeControl(ControlKind.PER_MOVE, 50),
    "none": TimeControl(ControlKind.NONE),
}


def controls() -> st.SearchStrategy[TimeControl]:
    """Every kind of control with random values inside the bounds."""
    base = st.integers(time_control.SHORTEST_MS, time_control.LONGEST_MS)
    increment = st.integers(0, time_control.LONGEST_INCREMENT_MS)
    moves = st.integers(1, time_control.MOST_MOVES)
    return st.one_of(
        st.builds(TimeControl, st.just(ControlKind.FISCHER), base, increment),
        st.builds(TimeControl, st.just(ControlKind.PERIODS), base, increment, moves),
        st.builds(TimeControl, st.just(ControlKind.PER_MOVE), base),
        st.just(TimeControl(ControlKind.NONE)),
    )


@pytest.mark.parametrize("text", MEANINGS)
def test_every_documented_text_is_read_and_written_back(text: str) -> None:
    assert parse(text) == MEANINGS[text]
    assert str(MEANINGS[text]) == text
    assert parse(text).timed is (text != "none")


@given(controls())
def test_writing_and_reading_gives_the_same_control(control: TimeControl) -> None:
    assert parse(str(control)) == control


@pytest.mark.parametrize(
    ("text", "canonical"), [("60", "60+0"), ("060+0.500", "60+0.5"), ("40/60+0", "40/60"), ("1.50/move", "1.5/move")]
)
def test_other_spellings_are_written_in_one_form(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


NOT_CONTROLS = """
60+-1|-60|1e3|60+|+1|/60|40/|0/60|2/moves|None|inf|nan|60,5|60+0.0001|40/60/60|2/move+1|9999999|40/60 + 1|60+1+1| 60+1
""".strip().split("|")


@pytest.mark.parametrize("text", [*NOT_CONTROLS, "", "60+1\n", "\N{ARABIC-INDIC DIGIT SIX}0+1", "x" * 100_000])
def test_what_is_no_time_control_is_refused(text: str) -> None:
    with pytest.raises(TimeControlError):
        parse(text)


def test_the_message_names_what_came_and_what_is_allowed() -> None:
    with pytest.raises(TimeControlError, match=r"'five minutes'.*'60\+0\.5'.*'40/60'.*'2/move'.*'none'"):
        parse("five minutes")
    with pytest.raises(TimeControlError) as caught:
        parse("9" * 100_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0+1", r"the time is 0 s; allowed are 0\.01 to 604800 s"),
        ("604801", r"the time is 604801 s"),
        ("60+3601", r"the increment is 3601 s; allowed are 0 to 3600 s"),
        ("0.009/move", r"the time is 0\.009 s"),
        ("0/60", r"a period has 0 moves; allowed are 1 to 1000"),
        ("1001/60", r"a period has 1001 moves"),
    ],
)
def test_values_out_of_bounds_are_refused_with_the_bounds(text: str, message: str) -> None:
    with pytest.raises(TimeControlError, match=message):
        parse(text)


@given(controls(), controls())
def test_controls_by_seat_are_read_as_they_were_written(first: TimeControl, second: TimeControl) -> None:
    text = by_seat_text(first, second)
    if first.timed == second.timed:
        assert parse_by_seat(text) == (first, second)
    else:
        with pytest.raises(TimeControlError, match="gives a clock to one player only"):
            parse_by_seat(text)


def test_a_control_cannot_be_made_with_values_of_another_kind() -> None:
    with pytest.raises(TimeControlError, match="fischer"):
        TimeControl(ControlKind.FISCHER, 60_000, 0, 40)
    with pytest.raises(TimeControlError, match="per_move"):
        TimeControl(ControlKind.PER_MOVE, 2_000, 100)
    with pytest.raises(TimeControlError, match="none"):
        TimeControl(ControlKind.NONE, 1)
