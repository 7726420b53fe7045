import pytest

from tabiya.protocol.codec import SUBPROTOCOLS, Encoding, negotiate


def test_the_subprotocols_are_a_promise() -> None:
    assert SUBPROTOCOLS == ("tabiya.v1.msgpack", "tabiya.v1.json")
    assert [negotiate([name]) for name in SUBPROTOCOLS] == [Encoding.MSGPACK, Encoding.JSON]
    assert tuple(encoding.subprotocol for encoding in (Encoding.MSGPACK, Encoding.JSON)) == SUBPROTOCOLS


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        ([], Encoding.JSON),
        (["tabiya.v1.json", "tabiya.v1.msgpack"], Encoding.JSON),
        (["tabiya.v1.msgpack", "tabiya.v1.json"], Encoding.MSGPACK),
        (["tabiya.v9.json", "tabiya.v1.json"], Encoding.JSON),
        (["tabiya.v9.json"], None),
        (["TABIYA.V1.JSON"], None),
        ([""], None),
    ],
)
def test_the_first_known_offer_wins_and_no_offer_means_json(offered: list[str], chosen: Encoding | None) -> None:
    assert negotiate(offered) is chosen
