"""Anchors in one text: names with their fixed ratings."""

from __future__ import annotations

import pytest

from tabiya.server.config import ConfigError, read_config
from tabiya.server.ratings.anchors import AnchorError, read_anchors


def test_names_with_ratings_are_read_with_spaces_around_them() -> None:
    assert read_anchors("random=1000, a b (c)=-250.5 ,,") == {"random": 1000.0, "a b (c)": -250.5}
    assert read_anchors("") == {}
    assert read_anchors("ada=5,ada=5") == {"ada": 5.0}


@pytest.mark.parametrize(
    "wrong", ["random", "random=", "=1000", "random=strong", "random=nan", "random=inf", "a=10001"]
)
def test_what_is_no_anchor_is_refused_with_what_was_given(wrong: str) -> None:
    with pytest.raises(
        AnchorError, match="an anchor is NAME=RATING with a rating between -10,000 and 10,000, not"
    ) as no:
        read_anchors(f"ada=1,{wrong}")
    assert repr(wrong) in str(no.value)


def test_two_ratings_of_one_bot_and_too_many_bots_are_refused() -> None:
    with pytest.raises(AnchorError, match="the anchor 'ada' is given two ratings"):
        read_anchors("ada=1,ada=2")
    with pytest.raises(AnchorError, match="there can be 100 anchors, not 101"):
        read_anchors(",".join(f"bot{number}=1" for number in range(101)))


def test_a_server_does_not_start_with_anchors_that_cannot_be_read() -> None:
    assert read_config({"TABIYA_ANCHORS": "random=1000"}).anchors == "random=1000"
    with pytest.raises(ConfigError, match="anchors: an anchor is NAME=RATING"):
        read_config({"TABIYA_ANCHORS": "random"})
