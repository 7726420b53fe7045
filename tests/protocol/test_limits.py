import msgspec
import pytest

from tabiya.protocol.limits import DEFAULT_LIMITS, WireLimits
from tabiya.protocol.messages.fields import MOST_LEGAL_MOVES


def test_every_limit_is_described() -> None:
    described = msgspec.json.schema(WireLimits)["$defs"]["WireLimits"]["properties"]
    assert set(described) == set(WireLimits.__struct_fields__)
    assert all(field["description"].endswith(".") for field in described.values())


@pytest.mark.parametrize("name", WireLimits.__struct_fields__)
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=name):
        msgspec.convert({name: 0}, WireLimits)


def test_some_limits_can_be_set_and_the_others_keep_their_defaults() -> None:
    limits = msgspec.convert({"matches_per_bot": 1}, WireLimits)
    assert limits.matches_per_bot == 1
    assert limits.frame_bytes == DEFAULT_LIMITS.frame_bytes


def test_the_longest_list_of_legal_moves_fits_into_a_frame_of_the_server() -> None:
    longest_ordinary_move = '"e7e8q",'
    assert len(longest_ordinary_move) * MOST_LEGAL_MOVES < DEFAULT_LIMITS.server_frame_bytes
