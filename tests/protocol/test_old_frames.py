"""What bots and servers of 0.1.0 said is read as then, and today's servers still say all of it.

frames_of_0_1.jsonl: the published examples of every message as they were. Whole programs of then play on today's server
by `python -m scripts.long_runs.old_clients`, which needs the repository's history.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tabiya.protocol.codec import Encoding, decode_client, decode_server, encode
from tabiya.protocol.messages import CLIENT_MESSAGES

FRAMES = (Path(__file__).parent / "frames_of_0_1.jsonl").read_text("utf-8").splitlines()
OF_BOTS = {message.__struct_config__.tag for message in CLIENT_MESSAGES}


def within(old: Any, new: Any) -> bool:
    """Whether everything in `old` is in `new`, which may have more fields."""
    if isinstance(old, dict):
        return all(key in new and within(value, new[key]) for key, value in old.items())
    if isinstance(old, list):
        return len(old) == len(new) and all(map(within, old, new))
    return bool(old == new)


@pytest.mark.parametrize("frame", FRAMES, ids=range(len(FRAMES)))
def test_a_frame_of_then_means_what_it_meant(frame: str) -> None:
    old = json.loads(frame)
    read = decode_client if old["type"] in OF_BOTS else decode_server
    again = encode(read(frame, Encoding.JSON), Encoding.JSON)
    assert again == frame if old["type"] in OF_BOTS else within(old, json.loads(again))


def test_a_field_that_is_gone_or_means_something_else_is_found() -> None:
    assert within({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}], "d": 3})
    assert not within({"a": [{"b": 1}]}, {"a": [{"c": 1}]})
    assert not within({"a": [1]}, {"a": [1, 2]})
